import type { MqttBridge, MqttBridgeOptions } from './options.js'

/** Connects a core to the agents of an MQTT 5 broker. Reconnects until it is closed. */
export async function openMqttBridge(options: MqttBridgeOptions): Promise<MqttBridge> {
  // Loaded on demand: most servers have no MQTT broker.
  const { startMqttBridge } = await import('./bridge.js')
  return startMqttBridge(options)
}
