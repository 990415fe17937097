import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { clientFrom } from '@orrery/kube'
import { inClusterConfig } from '@orrery/kube/kubeconfig'
import type { MaestroAccessOptions, MaestroServer, MaestroTls, TlsFiles } from '@orrery/maestro/server'
import { Command } from 'commander'
import { addLogOptions, loggerOf } from '../../shared/logging.js'
import { printText } from '../../shared/print.js'
import { stopSignal } from '../../shared/stop-signal.js'
import { explainListen } from '../../start-failure.js'
import { databaseUrl } from './database-url.js'
import { addServerOptions, optionsWithoutEffect, type ServerOptions } from './server-options.js'

/** `orrery maestro server`. */
export function maestroServerCommand(): Command {
  const command = new Command('server')
    .description('Run a Maestro server.')
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro server                              run with an embedded database, on loopback addresses only
  orrery maestro server --db-url postgres://maestro:secret@db/maestro --client-id maestro-1
                                                     use PostgreSQL, which several instances can share
  orrery maestro server --message-broker-type mqtt --message-broker-config-file mqtt.yaml
                                                     send works to agents through an MQTT broker
  orrery maestro server --server-hostname 0.0.0.0 --grpc-authn-type mtls --access-policy policy.yaml \\
    --grpc-tls-cert-file tls.crt --grpc-tls-key-file tls.key --grpc-client-ca-file ca.crt \\
    --grpc-broker-tls-cert-file tls.crt --grpc-broker-tls-key-file tls.key --grpc-broker-client-ca-file ca.crt \\
    --https-cert-file tls.crt --https-key-file tls.key --https-client-ca-file ca.crt
                                                     accept clients with certificates from other machines
  orrery maestro server --grpc-authn-type token --grpc-authorizer-config ~/.kube/config \\
    --grpc-tls-cert-file tls.crt --grpc-tls-key-file tls.key
                                                     accept tokens of a Kubernetes cluster, with its RBAC`,
    )
    .action(run)
  return addLogOptions(addServerOptions(command))
}

async function run(options: ServerOptions, command: Command): Promise<void> {
  const log = loggerOf(options)
  for (const option of optionsWithoutEffect(command)) log.warn('the option has no effect', { option })
  const url = databaseUrl(options)
  if (url !== undefined && options.data !== undefined) {
    command.error(
      "error: option '--data <dir>' is for the embedded database: omit it, or omit the options of PostgreSQL",
    )
  }
  const directory = resolve(options.data ?? join(homedir(), '.orrery', 'maestro'))
  const access = await accessOf(options)
  const hasGrpc = options.enableGrpcServer
  // Loaded on demand, so that other commands start faster.
  const { parseMqttConfig, startMaestroServer } = await import('@orrery/maestro/server')
  const brokerFile = brokerFileOf(options, command)
  const mqtt = brokerFile === undefined ? undefined : parseMqttConfig(await readFile(brokerFile, 'utf8'), brokerFile)
  const server = await startMaestroServer({
    database: { ...(url === undefined ? { directory } : { url }), maxConnections: options.dbMaxOpenConnections },
    host: options.serverHostname,
    ports: {
      rest: options.httpServerBindport,
      sources: hasGrpc && options.grpcServerBindport,
      agents: hasGrpc && mqtt === undefined && options.grpcBrokerBindport,
      health: options.healthCheckServerBindport,
      metrics: options.metricsServerBindport,
    },
    tls: tlsOf(options),
    ...(mqtt !== undefined && { mqtt }),
    ...(access !== undefined && { access }),
    allowUnauthenticated: options.allowUnauthenticated === true,
    ...(options.clientId !== undefined && { instance: options.clientId }),
    sourceId: options.sourceId,
    heartbeatSeconds: options.heartbeatDisable ? 0 : options.heartbeatCheckInterval / 1_000,
    repeatDeletionsAfterSeconds: options.deleteEventRepublishInterval / 1_000,
    readTimeoutMs: options.httpReadTimeout,
    writeTimeoutMs: options.httpWriteTimeout,
    log,
  }).catch((error: unknown) => {
    throw explainStart(error, options)
  })
  try {
    announce(server, options, url === undefined ? directory : undefined, access)
    await stopSignal()
    log.info('stopping')
  } finally {
    await server.close()
  }
}

/** The configuration file of the MQTT broker. Undefined if agents connect to the server itself. */
function brokerFileOf(options: ServerOptions, command: Command): string | undefined {
  const { messageBrokerType, messageBrokerConfigFile: file } = options
  if (messageBrokerType === 'grpc') return undefined
  if (file === undefined) {
    command.error("error: option '--message-broker-type mqtt' requires --message-broker-config-file <file>")
  }
  return file
}

/** Undefined if everyone is accepted. */
async function accessOf(options: ServerOptions): Promise<MaestroAccessOptions | undefined> {
  const { grpcAuthnType, grpcAuthorizerConfig, accessPolicy } = options
  const needsCertificates = grpcAuthnType === 'mtls'
  if (needsCertificates && options.grpcClientCaFile === undefined) {
    throw new Error('--grpc-authn-type mtls needs --grpc-client-ca-file')
  }
  if (grpcAuthnType === 'mock' && accessPolicy === undefined && grpcAuthorizerConfig === undefined) return undefined
  // As Maestro does, a server in a pod asks the API server of its cluster.
  const config = grpcAuthorizerConfig ?? (grpcAuthnType === 'mock' ? undefined : await inClusterConfig())
  const client = config === undefined ? undefined : await clientFrom(config)
  if (client === undefined && accessPolicy === undefined) {
    throw new Error(`--grpc-authn-type ${grpcAuthnType} needs --grpc-authorizer-config or --access-policy`)
  }
  return {
    ...(client !== undefined && { client }),
    ...(accessPolicy !== undefined && { policyFile: resolve(accessPolicy) }),
  }
}

function tlsOf(options: ServerOptions): MaestroTls {
  const rest = tlsFiles('https', options.httpsCertFile, options.httpsKeyFile, options.httpsClientCaFile)
  const sources = tlsFiles('grpc-tls', options.grpcTlsCertFile, options.grpcTlsKeyFile, options.grpcClientCaFile)
  const { grpcBrokerTlsCertFile, grpcBrokerTlsKeyFile, grpcBrokerClientCaFile } = options
  const agents = tlsFiles('grpc-broker-tls', grpcBrokerTlsCertFile, grpcBrokerTlsKeyFile, grpcBrokerClientCaFile)
  if (options.enableHttps && rest === undefined)
    throw new Error('--enable-https needs --https-cert-file and --https-key-file')
  return {
    ...(rest !== undefined && { rest }),
    ...(sources !== undefined && { sources }),
    ...(agents !== undefined && { agents }),
    health: options.enableHealthCheckHttps,
    metrics: options.enableMetricsHttps,
  }
}

function tlsFiles(prefix: string, certFile?: string, keyFile?: string, clientCaFile?: string): TlsFiles | undefined {
  if (certFile === undefined && keyFile === undefined && clientCaFile === undefined) return undefined
  if (certFile === undefined || keyFile === undefined) {
    throw new Error(`--${prefix}-cert-file and --${prefix}-key-file belong together: set both`)
  }
  return {
    certFile: resolve(certFile),
    keyFile: resolve(keyFile),
    ...(clientCaFile && { clientCaFile: resolve(clientCaFile) }),
  }
}

const PORT_OPTIONS: readonly (keyof ServerOptions & `${string}Bindport`)[] = [
  'httpServerBindport',
  'grpcServerBindport',
  'grpcBrokerBindport',
  'healthCheckServerBindport',
  'metricsServerBindport',
]

function explainStart(error: unknown, options: ServerOptions): unknown {
  const { port } = error as { port?: number }
  const name = PORT_OPTIONS.find((one) => options[one] === port)
  if (port === undefined || name === undefined) return error
  const portOption = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  return explainListen(error, { host: options.serverHostname, port, portOption, hostOption: '--server-hostname' })
}

function announce(
  { ports }: MaestroServer,
  { serverHostname, httpsCertFile, grpcTlsCertFile, grpcBrokerTlsCertFile }: ServerOptions,
  directory: string | undefined,
  access: MaestroAccessOptions | undefined,
): void {
  const host = serverHostname === '' ? '0.0.0.0' : serverHostname
  const tls = (file: string | undefined) => (file === undefined ? 'without TLS' : 'with TLS')
  const lines = [
    `The Maestro server is ready on ${host}.`,
    '',
    `  REST API           ${httpsCertFile === undefined ? 'http' : 'https'}://${host}:${ports.rest}/api/maestro/v1`,
    ...(ports.sources === undefined ? [] : [`  gRPC for sources   ${host}:${ports.sources} ${tls(grpcTlsCertFile)}`]),
    ...(ports.agents === undefined
      ? []
      : [`  gRPC for agents    ${host}:${ports.agents} ${tls(grpcBrokerTlsCertFile)}`]),
    `  health             http://${host}:${ports.health}/healthcheck`,
    `  metrics            http://${host}:${ports.metrics}/metrics`,
    '',
    access === undefined
      ? 'Everyone who can reach these ports may read and change everything: see --grpc-authn-type and --access-policy.'
      : 'Clients need a certificate or a token, and permission. Health needs none.',
    directory === undefined
      ? 'Data is kept in PostgreSQL.'
      : `Data is kept in ${directory}, for one instance: see --db-url.`,
    'Stop it with Ctrl-C.',
    '',
  ]
  printText(lines.join('\n'))
}
