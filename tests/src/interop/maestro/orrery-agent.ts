import type { TestContext } from 'node:test'
import { startWork } from '@orrery/agent'
import { grpcSource, mqttSource, parseGrpcConfig, parseMqttConfig } from '@orrery/maestro/agent'
import { afterwards } from '../../support/server.js'
import type { Served } from '../fleet-parts.js'
import type { AgentsPort } from './servers.js'
import { agentConfig } from './work-agent.js'

/** Starts Orrery's work agent with the same configuration file as Open Cluster Management's. */
export async function startOrreryWorkAgent(
  t: Pick<TestContext, 'after'>,
  { client }: Pick<Served, 'client'>,
  consumer: string,
  port: AgentsPort,
): Promise<{ readonly log: string }> {
  const identity = { clusterName: consumer }
  const config = agentConfig(consumer, port)
  const source =
    port.transport === 'grpc'
      ? await grpcSource(parseGrpcConfig(config, 'grpc.yaml'), identity)
      : await mqttSource(parseMqttConfig(config, 'mqtt.yaml'), identity)
  const agent = await startWork({ source, spoke: client })
  afterwards(t, async () => {
    await agent.close()
    await source.close()
  })
  await agent.whenRunning()
  return { log: '' }
}
