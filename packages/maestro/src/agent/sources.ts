import { hubHashOf, type SourceState } from '@orrery/agent'
import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { GrpcConfig, MqttConfig } from '../transport/config.js'
import { agentTopics } from '../transport/topics.js'
import { CloudEventSource } from './cloud-event-source.js'

export interface AgentIdentity {
  /** The name of the cluster, which is the name of its consumer. */
  readonly clusterName: string
  /** Identifies the agent in events. Default `<cluster>-work-agent`. */
  readonly agentId?: string
  readonly clock?: Clock
  readonly log?: Logger
  /** Keeps values for a restart of the agent. Default: none are kept. */
  readonly state?: SourceState
}

/** Works of a Maestro server or an Open Cluster Management hub over gRPC. */
export async function grpcSource(config: GrpcConfig, identity: AgentIdentity): Promise<CloudEventSource> {
  // Loaded on demand, so that users of another transport need not load it.
  const { GrpcChannel } = await import('../transport/grpc-channel.js')
  const { clock, log } = identity
  const channel = new GrpcChannel({
    ...config,
    ...(clock !== undefined && { clock }),
    ...(log !== undefined && { log }),
  })
  return new CloudEventSource({ ...identity, channel, hubHash: hubHashOf(config.url) })
}

/** Works of a Maestro server over an MQTT 5 broker. */
export async function mqttSource(config: MqttConfig, identity: AgentIdentity): Promise<CloudEventSource> {
  const { MqttChannel } = await import('../transport/mqtt-channel.js')
  const { clusterName, agentId = `${clusterName}-work-agent`, clock, log } = identity
  const channel = new MqttChannel({
    ...config,
    clientId: `${agentId}-client`,
    topics: agentTopics(config.topics, clusterName),
    ...(clock !== undefined && { clock }),
    ...(log !== undefined && { log }),
  })
  return new CloudEventSource({ ...identity, channel, hubHash: hubHashOf(config.brokerHost) })
}
