import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { KubeClient } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { type Logger, silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { MqttConfig } from '../transport/config.js'
import { SERVER_SOURCE } from './core/events.js'
import type { TlsFiles } from './serving/tls-files.js'
import type { DatabaseOptions } from './store/database.js'

/** The ports of a server. 0 picks a free one, and false opens none. */
export interface MaestroPorts {
  /** The REST API. Default 8000. */
  readonly rest?: number | false
  /** gRPC for sources. Default 8090. */
  readonly sources?: number | false
  /** gRPC for agents. Default 8091. */
  readonly agents?: number | false
  /** `/healthcheck` and `/livez`. Default 8083. */
  readonly health?: number | false
  /** `/metrics`. Default 8080. */
  readonly metrics?: number | false
}

/** Certificates of ports. A port without one does not use TLS. */
export interface MaestroTls {
  readonly rest?: TlsFiles
  readonly sources?: TlsFiles
  readonly agents?: TlsFiles
  /** The certificate of the REST API is used for health as well. Default false. */
  readonly health?: boolean
  /** The certificate of the REST API is used for metrics as well. Default false. */
  readonly metrics?: boolean
}

/** Who may use the server. Agents with certificates of Open Cluster Management may always act for their own cluster. */
export interface MaestroAccessOptions {
  /** Reviews tokens and permissions: a client with permission to create TokenReviews and SubjectAccessReviews. */
  readonly client?: KubeClient
  /** A file with rules and tokens, for servers without a Kubernetes API. */
  readonly policyFile?: string
  /**
   * Agents must be registered on the hub of `client`: certificates of clusters that were detached, denied or registered
   * again are refused. Default false.
   */
  readonly registeredAgentsOnly?: boolean
  /** The end of the message that refuses a change of consumers: what to do instead. */
  readonly consumerHint?: string
}

export interface MaestroServerOptions {
  /** Default: an embedded database in memory. */
  readonly database?: Omit<DatabaseOptions, 'log'>
  /** The address to listen on; empty for all. Default 127.0.0.1. */
  readonly host?: string
  readonly ports?: MaestroPorts
  readonly tls?: MaestroTls
  /** An MQTT 5 broker for agents, besides the port of agents. Default none. */
  readonly mqtt?: MqttConfig
  /** Default: everyone may do everything, and the server listens on loopback addresses only. */
  readonly access?: MaestroAccessOptions
  /** Listen on other addresses even if everyone may do everything. Default false. */
  readonly allowUnauthenticated?: boolean
  /** Different for each instance on one database. Default: a new UUID. */
  readonly instance?: string
  /** The source of events to agents, and in the topics of MQTT. The same for all instances. Default `maestro`. */
  readonly sourceId?: string
  /** Seconds between heartbeats to subscribers, 0 for none. Default 10. */
  readonly heartbeatSeconds?: number
  /** Seconds after which a deletion that the agent has not confirmed is sent again. Default 60. */
  readonly repeatDeletionsAfterSeconds?: number
  /** Milliseconds to receive a request. Default 5000. */
  readonly readTimeoutMs?: number
  /** Milliseconds without progress of an answer. Default 30000. */
  readonly writeTimeoutMs?: number
  readonly metrics?: MetricRegistry
  readonly clock?: Clock
  readonly log?: Logger
}

const PORTS: Readonly<Required<MaestroPorts>> = { rest: 8000, sources: 8090, agents: 8091, health: 8083, metrics: 8080 }

/** The options with their defaults. Throws an error that names the option that cannot be used. */
export function resolvedOptions(options: MaestroServerOptions) {
  const { host = '127.0.0.1', access, allowUnauthenticated = false, tls = {} } = options
  if (access === undefined && !allowUnauthenticated && !isLoopback(host)) {
    throw new Error(
      `the server would accept everyone on ${host === '' ? 'all addresses' : host}: configure access, listen on ` +
        '127.0.0.1, or allow unauthenticated clients explicitly',
    )
  }
  if (access?.registeredAgentsOnly === true && access.client === undefined) {
    throw new Error('registeredAgentsOnly needs the client of the hub')
  }
  if ((tls.health === true || tls.metrics === true) && tls.rest === undefined) {
    throw new Error('HTTPS for health or metrics needs the certificate of the REST API')
  }
  return {
    database: options.database ?? {},
    host: host === '' ? '0.0.0.0' : host,
    ports: { ...PORTS, ...options.ports },
    tls,
    access,
    instance: options.instance ?? randomUUID(),
    sourceId: options.sourceId ?? SERVER_SOURCE,
    mqtt: options.mqtt,
    heartbeatSeconds: options.heartbeatSeconds ?? 10,
    repeatDeletionsAfterSeconds: options.repeatDeletionsAfterSeconds ?? 60,
    readTimeoutMs: options.readTimeoutMs ?? 5_000,
    writeTimeoutMs: options.writeTimeoutMs ?? 30_000,
    metrics: options.metrics ?? new MetricRegistry(),
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLogger,
  }
}

export type ResolvedOptions = ReturnType<typeof resolvedOptions>

/** The ports on which tokens of clients could be read on the network. A service mesh can protect them. */
export function clearTextPorts({ access, host, ports, tls }: ResolvedOptions): ('rest' | 'sources' | 'agents')[] {
  if (access === undefined || isLoopback(host)) return []
  return (['rest', 'sources', 'agents'] as const).filter((port) => ports[port] !== false && tls[port] === undefined)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
