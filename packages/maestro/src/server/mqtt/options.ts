import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { MqttConfig } from '../../transport/config.js'
import type { MaestroCore } from '../core/core.js'
import type { Database } from '../store/database.js'

export interface MqttBridgeOptions {
  readonly core: MaestroCore
  readonly database: Database
  /**
   * The broker, with the topics of the server. A topic for agent events that begins with `$share/<group>/` shares them
   * among the instances.
   */
  readonly config: MqttConfig
  /** Different for each instance. */
  readonly clientId: string
  /** After how many seconds a spec that no agent has confirmed is published again. Default 60. */
  readonly repeatAfterSeconds?: number
  readonly metrics?: MetricRegistry
  readonly clock?: Clock
  readonly log?: Logger
}

export interface MqttBridge {
  /** Whether there is a connection to the broker. */
  readonly isConnected: boolean
  close(): Promise<void>
}
