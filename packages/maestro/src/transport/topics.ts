import type { CloudEvent } from '../codec/cloud-event.js'
import { parseEventType } from '../codec/event-type.js'
import { Extension } from '../codec/extensions.js'

/** The MQTT topics of sources and agents, as in the configuration files of Open Cluster Management. */
export interface MqttTopics {
  /** From sources to agents, for example `sources/maestro/consumers/+/sourceevents`. */
  readonly sourceEvents: string
  /** From agents to sources, for example `sources/maestro/consumers/+/agentevents`. */
  readonly agentEvents: string
  /** From sources to all agents, for example `sources/+/sourcebroadcast`. */
  readonly sourceBroadcast?: string
  /** From agents to all sources, for example `clusters/+/agentbroadcast`. */
  readonly agentBroadcast?: string
}

/** Decides where a participant publishes and what it subscribes to. */
export interface TopicRules {
  readonly subscriptions: readonly string[]
  /** The topic for an event. */
  topicOf(event: CloudEvent): string
}

const EVENTS = String.raw`(\$share/[a-z0-9-]+/)?([a-z]+)/([a-z0-9-]+|\+)/([a-z]+)/([a-z0-9-]+|\+)`
const BROADCAST = String.raw`(\$share/[a-z0-9-]+/)?([a-z]+)/([a-z0-9-]+|\+)`
const PATTERNS: Readonly<Record<keyof MqttTopics, RegExp>> = {
  sourceEvents: new RegExp(`^${EVENTS}/sourceevents$`),
  agentEvents: new RegExp(`^${EVENTS}/agentevents$`),
  sourceBroadcast: new RegExp(`^${BROADCAST}/sourcebroadcast$`),
  agentBroadcast: new RegExp(`^${BROADCAST}/agentbroadcast$`),
}

/** The topics of the source `maestro`, or of another one. */
export function defaultTopics(sourceId = 'maestro'): MqttTopics {
  return {
    sourceEvents: `sources/${sourceId}/consumers/+/sourceevents`,
    agentEvents: `sources/${sourceId}/consumers/+/agentevents`,
  }
}

/** Throws an error that names the field if a topic is not valid. */
export function checkTopics(topics: MqttTopics): void {
  for (const [name, pattern] of Object.entries(PATTERNS)) {
    const topic = topics[name as keyof MqttTopics]
    if (topic !== undefined && !pattern.test(topic)) {
      throw new RangeError(`topics.${name} ${JSON.stringify(topic)} is not valid: it has to match ${pattern.source}`)
    }
  }
}

/** The topics of the agent of a cluster. */
export function agentTopics(topics: MqttTopics, clusterName: string): TopicRules {
  checkTopics(topics)
  const own = withLast(topics.agentEvents, clusterName)
  const { sourceBroadcast, agentBroadcast } = topics
  const broadcast = agentBroadcast === undefined ? own : agentBroadcast.replace('+', clusterName)
  return {
    subscriptions: [
      withLast(topics.sourceEvents, clusterName),
      ...(sourceBroadcast === undefined ? [] : [sourceBroadcast]),
    ],
    topicOf(event) {
      const isResync = parseEventType(event.type)?.action === 'resync_request'
      return isResync && event.extensions[Extension.OriginalSource] === '' ? broadcast : own
    },
  }
}

/** The topics of a server, which sends events to the agents of all clusters. */
export function serverTopics(topics: MqttTopics): TopicRules {
  checkTopics(topics)
  const { agentEvents, agentBroadcast } = topics
  return {
    subscriptions: [agentEvents, ...(agentBroadcast === undefined ? [] : [agentBroadcast])],
    topicOf: (event) => withLast(topics.sourceEvents, String(event.extensions[Extension.ClusterName])),
  }
}

/** The cluster in a topic of agents. */
export function clusterOfTopic(topic: string): string {
  return topic.split('/').at(-2) ?? ''
}

/** The last placeholder of a topic is the cluster. */
function withLast(topic: string, clusterName: string): string {
  const at = topic.lastIndexOf('+')
  return at < 0 ? topic : topic.slice(0, at) + clusterName + topic.slice(at + 1)
}
