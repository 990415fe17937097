import { durationToMilliseconds, ParseError, parseDuration } from '@orrery/kinds/values'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { portNumber } from '../../arguments.js'
import type { LogOptions } from '../../shared/logging.js'

export interface ServerOptions extends LogOptions {
  readonly data?: string
  readonly dbUrl?: string
  readonly dbHostFile?: string
  readonly dbPortFile?: string
  readonly dbUserFile?: string
  readonly dbPasswordFile?: string
  readonly dbNameFile?: string
  readonly dbSslmode: string
  readonly dbRootcert?: string
  readonly dbMaxOpenConnections: number
  readonly serverHostname: string
  readonly httpServerBindport: number
  readonly grpcServerBindport: number
  readonly grpcBrokerBindport: number
  readonly healthCheckServerBindport: number
  readonly metricsServerBindport: number
  readonly enableGrpcServer: boolean
  readonly enableHttps: boolean
  readonly enableHealthCheckHttps: boolean
  readonly enableMetricsHttps: boolean
  readonly httpsCertFile?: string
  readonly httpsKeyFile?: string
  readonly httpsClientCaFile?: string
  readonly httpReadTimeout: number
  readonly httpWriteTimeout: number
  readonly grpcTlsCertFile?: string
  readonly grpcTlsKeyFile?: string
  readonly grpcClientCaFile?: string
  readonly grpcBrokerTlsCertFile?: string
  readonly grpcBrokerTlsKeyFile?: string
  readonly grpcBrokerClientCaFile?: string
  readonly grpcAuthnType: 'mock' | 'mtls' | 'token'
  readonly grpcAuthorizerConfig?: string
  readonly accessPolicy?: string
  readonly allowUnauthenticated?: boolean
  readonly messageBrokerType: 'grpc' | 'mqtt'
  readonly messageBrokerConfigFile?: string
  readonly clientId?: string
  readonly sourceId: string
  readonly heartbeatDisable: boolean
  readonly heartbeatCheckInterval: number
  readonly deleteEventRepublishInterval: number
}

/** Options with the names of Maestro's, so that its manifests work, and a few of Orrery's. */
export function addServerOptions(command: Command): Command {
  const option = (flags: string, text: string) => command.option(flags, text)
  const port = (flag: string, text: string, value: number) => command.option(`${flag} <port>`, text, portNumber, value)
  const duration = (flag: string, text: string, value: string) =>
    command.addOption(
      new Option(`${flag} <duration>`, text).argParser(milliseconds).default(milliseconds(value), value),
    )
  const toggle = (flag: string, text: string, value: boolean) =>
    command.addOption(new Option(`${flag} [boolean]`, text).argParser(boolean).default(value))

  option('--data <dir>', 'directory of the embedded database (default: ~/.orrery/maestro)')
  option('--db-url <url>', 'use PostgreSQL: postgres://user:password@host:port/database')
  option('--db-host-file <file>', 'use PostgreSQL: file with its host name')
  option('--db-port-file <file>', 'file with its port (default: 5432)')
  option('--db-user-file <file>', 'file with the user')
  option('--db-password-file <file>', 'file with the password')
  option('--db-name-file <file>', 'file with the name of the database')
  command.addOption(
    new Option('--db-sslmode <mode>', 'TLS to PostgreSQL')
      .choices(['disable', 'require', 'verify-ca', 'verify-full'])
      .default('disable'),
  )
  option('--db-rootcert <file>', 'CA bundle that verifies PostgreSQL')
  command.option('--db-max-open-connections <number>', 'connections to PostgreSQL', connections, 10)
  command.option('--server-hostname <address>', 'address to listen on; empty for all', '127.0.0.1')
  port('--http-server-bindport', 'port of the REST API', 8000)
  port('--grpc-server-bindport', 'gRPC port of sources', 8090)
  port('--grpc-broker-bindport', 'gRPC port of agents', 8091)
  port('--health-check-server-bindport', 'port of /healthcheck and /livez', 8083)
  port('--metrics-server-bindport', 'port of /metrics', 8080)
  toggle('--enable-grpc-server', 'open the gRPC ports', true)
  toggle('--enable-https', 'serve the REST API over HTTPS', false)
  toggle('--enable-health-check-https', 'serve /healthcheck and /livez over HTTPS', false)
  toggle('--enable-metrics-https', 'serve /metrics over HTTPS', false)
  option('--https-cert-file <file>', 'certificate of the REST API; read again when it changes, like all certificates')
  option('--https-key-file <file>', 'key of that certificate')
  option('--https-client-ca-file <file>', 'CA bundle that verifies certificates of REST clients')
  duration('--http-read-timeout', 'longest time to receive a request', '5s')
  duration('--http-write-timeout', 'longest time without progress of a response', '30s')
  option('--grpc-tls-cert-file <file>', 'certificate of the gRPC port of sources')
  option('--grpc-tls-key-file <file>', 'key of that certificate')
  option('--grpc-client-ca-file <file>', 'CA bundle that verifies certificates of sources')
  option('--grpc-broker-tls-cert-file <file>', 'certificate of the gRPC port of agents')
  option('--grpc-broker-tls-key-file <file>', 'key of that certificate')
  option('--grpc-broker-client-ca-file <file>', 'CA bundle that verifies certificates of agents')
  command.addOption(
    new Option(
      '--grpc-authn-type <type>',
      'how clients authenticate; mock accepts all clients unless there is a policy',
    )
      .choices(['mock', 'mtls', 'token'])
      .default('mock'),
  )
  option(
    '--grpc-authorizer-config <file>',
    'kubeconfig of the cluster that reviews tokens and access (default: in-cluster)',
  )
  option('--access-policy <file>', 'file with rules and tokens, for servers without a Kubernetes API')
  option('--allow-unauthenticated', 'listen on addresses other than loopback without access control')
  command.addOption(
    new Option('--message-broker-type <type>', 'how agents connect: to the gRPC port of agents, or to an MQTT 5 broker')
      .choices(['grpc', 'mqtt'])
      .default('grpc'),
  )
  option('--message-broker-config-file <file>', "for mqtt: configuration file in YAML, with Maestro's fields")
  option('--client-id <id>', 'unique id of this instance among those of one database (default: a new UUID)')
  command.option('--source-id <id>', 'source of the events to agents, the same for all instances', 'maestro')
  toggle('--heartbeat-disable', 'send no heartbeats to subscribers', false)
  duration('--heartbeat-check-interval', 'time between heartbeats to subscribers', '10s')
  duration('--delete-event-republish-interval', 'time after which an unconfirmed deletion is sent again', '1m')
  for (const flags of WITHOUT_EFFECT) command.addOption(new Option(flags).hideHelp())
  return command
}

/** Options of Maestro for what this server does not need. They are accepted, so that its manifests work. */
const WITHOUT_EFFECT = [
  '--subscription-type [type]',
  '--undelivered-resource-threshold [seconds]',
  '--stale-delete-event-threshold [seconds]',
  '--consistent-hash-partition-count [number]',
  '--consistent-hash-replication-factor [number]',
  '--consistent-hash-load [number]',
  '--label-metrics-inclusion-duration [duration]',
  '--heartbeat-interval [seconds]',
  '--disable-grpc-tls [boolean]',
  '--enable-db-debug [boolean]',
  '--grpc-max-concurrent-streams [number]',
  '--grpc-max-receive-message-size [bytes]',
  '--grpc-max-send-message-size [bytes]',
  '--grpc-connection-timeout [duration]',
  '--grpc-max-connection-age [duration]',
  '--grpc-client-min-ping-interval [duration]',
  '--grpc-server-ping-interval [duration]',
  '--grpc-server-ping-timeout [duration]',
  '--grpc-read-buffer-size [bytes]',
  '--grpc-write-buffer-size [bytes]',
  '--permit-ping-without-stream [boolean]',
] as const

/** The options that were given and have no effect. */
export function optionsWithoutEffect(command: Command): string[] {
  return command.options
    .filter(({ flags }) => (WITHOUT_EFFECT as readonly string[]).includes(flags))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '')
}

/** Parses a duration of Go, such as 1m30s. */
function milliseconds(text: string): number {
  let parsed: number
  try {
    parsed = durationToMilliseconds(parseDuration(text))
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new InvalidArgumentError('Use a duration, such as 10s or 1m30s.')
  }
  if (parsed < 1_000) throw new InvalidArgumentError('Use a duration of at least one second.')
  return parsed
}

/** Go's flags are switched off with `=false`. */
function boolean(text: string): boolean {
  if (!['true', 'false'].includes(text)) throw new InvalidArgumentError('Use true or false.')
  return text === 'true'
}

function connections(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (number < 1) throw new InvalidArgumentError('Use a number from 1 to 9999.')
  return number
}
