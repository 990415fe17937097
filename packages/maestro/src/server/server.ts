import type { IncomingMessage } from 'node:http'
import { addProcessMetrics, type MetricRegistry } from '@orrery/kube/metrics'
import { type ClosingStep, closeAll } from '@orrery/kube/process'
import type { Access } from './access/access.js'
import { checkedAccess, openAccess } from './access/checks.js'
import { kubernetesReviewer } from './access/kubernetes.js'
import { openPolicyFile } from './access/policy-file.js'
import { type MaestroCore, startCore } from './core/core.js'
import { MaestroError } from './errors.js'
import { authenticate } from './grpc/authorization.js'
import { brokerService } from './grpc/broker-service.js'
import { Heartbeats } from './grpc/heartbeats.js'
import { openGrpcPort } from './grpc/port.js'
import { Rounds } from './grpc/rounds.js'
import { type ClosableService, sourceService } from './grpc/source-service.js'
import { countedService, type MetricPrefix } from './grpc-metrics.js'
import { openMqttBridge } from './mqtt/open.js'
import type { MqttBridge } from './mqtt/options.js'
import { clearTextPorts, type MaestroServerOptions, type ResolvedOptions, resolvedOptions } from './options.js'
import { CONSUMERS_PATH } from './rest/paths.js'
import { credentialsOf, serveRest } from './rest/rest.js'
import { type HttpPortOptions, openHttpPort, type Port } from './serving/http-port.js'
import { type Health, type Refusal, remembered, serveHealth, serveMetrics } from './serving/probes.js'
import { openTlsFiles, type TlsFiles, type TlsSource } from './serving/tls-files.js'
import { type Database, openDatabase } from './store/database.js'

/** A running server. */
export interface MaestroServer {
  /** The ports that are open. */
  readonly ports: Readonly<Partial<Record<'rest' | 'sources' | 'agents' | 'health' | 'metrics', number>>>
  readonly core: MaestroCore
  readonly metrics: MetricRegistry
  /** Whether the database answers and accepts writes, and changes of other instances are followed. */
  health(): Promise<Health>
  /** Ends the subscriptions of the agents of a consumer. They may subscribe again if they still have permission. */
  endAgents(consumerName: string, reason: string): void
  /** Answers running calls, ends subscriptions so that clients go to another instance, and closes. */
  close(): Promise<void>
}

const DATABASE_TIMEOUT_MS = 3_000
/** Without writes, neither works nor statuses can be stored. */
const IS_READ_ONLY = `select current_setting('transaction_read_only') = 'on' is_read_only`
/** How often the permissions of subscribers are checked. */
const RECHECK_SECONDS = 30

/** Starts a Maestro server. Resolves when all ports are open. */
export async function startMaestroServer(options: MaestroServerOptions = {}): Promise<MaestroServer> {
  const resolved = resolvedOptions(options)
  const closing: ClosingStep[] = []
  try {
    return await start(resolved, closing)
  } catch (error) {
    await closeAll(closing)
    throw error
  }
}

async function start(options: ResolvedOptions, closing: ClosingStep[]): Promise<MaestroServer> {
  const { ports, tls, metrics, clock, log } = options
  for (const port of clearTextPorts(options)) {
    log.warn('tokens can be read on the network: configure TLS, or use a service mesh', { port, host: options.host })
  }
  const access = await openAccessOf(options, closing)
  const sources = await openTls(tls.sources, options, closing)
  const agents = await openTls(tls.agents, options, closing)
  const rest = await openTls(tls.rest, options, closing)
  const database = await openDatabase({ ...options.database, log: log.child('database') })
  closing.push(() => database.close())

  const services = new Map<'sources' | 'agents', ClosableService>()
  const endSubscriptions = (reason: string) => {
    for (const service of services.values()) service.endAll(reason)
  }
  const endAgents = (consumerName: string, reason: string) => services.get('agents')?.end(consumerName, reason)
  const core = await startCore({
    database,
    clock,
    log: log.child('core'),
    repeatDeletionsAfterSeconds: options.repeatDeletionsAfterSeconds,
    onGap: () => endSubscriptions('changes may have been missed: subscribe again'),
    onResync: (request) => {
      services
        .get(request.port)
        ?.answer(request)
        .catch((error: unknown) => log.warn('a resync request of another instance failed', { error }))
    },
    onConsumerDeleted: (name) => endAgents(name, 'the consumer was deleted'),
    instance: options.instance,
    sourceId: options.sourceId,
  })
  // Without a database, other instances notice later that this one is gone.
  closing.push(() => core.close().catch((error) => log.warn('cannot sign off from the database', { error })))
  let mqtt: MqttBridge | undefined
  if (options.mqtt !== undefined) {
    const bridge = await openMqttBridge({
      core,
      database,
      config: options.mqtt,
      clientId: options.instance,
      metrics,
      clock,
      log: log.child('mqtt'),
    })
    mqtt = bridge
    closing.push(() => bridge.close())
  }
  const heartbeats = new Heartbeats(clock, options.heartbeatSeconds)
  closing.push(() => heartbeats.close())
  const rechecks = new Rounds<void>(clock, RECHECK_SECONDS, () => undefined)
  closing.push(() => rechecks.close())

  let isStopping = false
  const health = remembered(async () => (isStopping ? 'not ready' : healthOf(core, database)), clock)
  const open: Partial<Record<keyof typeof ports, number>> = {}
  const openHttp = async (
    name: keyof typeof ports,
    tlsSource: TlsSource | undefined,
    serve: HttpPortOptions['serve'],
  ) => {
    const { host, readTimeoutMs, writeTimeoutMs } = options
    const number = ports[name]
    if (number === false) return
    const port = await openHttpPort({
      host,
      port: number,
      tls: tlsSource,
      serve,
      readTimeoutMs,
      writeTimeoutMs,
      clock,
      log,
    })
    closing.push(() => port.close())
    open[name] = port.port
  }
  const openGrpc = async (name: 'sources' | 'agents', tlsSource: TlsSource | undefined, prefix: MetricPrefix) => {
    const number = ports[name]
    if (number === false) return
    const service = (name === 'sources' ? sourceService : brokerService)({
      core,
      access,
      heartbeats,
      rechecks,
      log: log.child(name),
    })
    services.set(name, service)
    const counted = countedService(service, metrics, prefix)
    const port: Port = await openGrpcPort({
      service: counted,
      host: options.host,
      port: number,
      ...(tlsSource && { tls: tlsSource }),
      ...(access !== openAccess && { userOf: async (context) => (await authenticate(access, context)).user }),
      // Without access control, the certificate is all that clients have to show.
      isCertificateRequired: options.access === undefined,
    })
    closing.push(() => port.close())
    open[name] = port.port
  }
  // Opened first and closed last, so that probes see what happens in between.
  await openHttp(
    'health',
    tls.health === true ? rest : undefined,
    serveHealth(health, () => mqttHealth(mqtt)),
  )
  await openHttp(
    'metrics',
    tls.metrics === true ? rest : undefined,
    serveMetrics(metrics, (one) => metricsRefusal(access, one)),
  )
  await openHttp('rest', rest, serveRest({ backend: core, access, metrics, log: log.child('rest') }))
  await openGrpc('sources', sources, 'grpc_server')
  await openGrpc('agents', agents, 'grpc_server_ce')
  closing.push(() => endSubscriptions('the server stops'))
  closing.push(addProcessMetrics(metrics))
  return {
    ports: open,
    core,
    metrics,
    health,
    endAgents,
    close() {
      isStopping = true
      return closeAll(closing)
    },
  }
}

async function openAccessOf({ access, clock, log }: ResolvedOptions, closing: ClosingStep[]): Promise<Access> {
  if (access === undefined) return openAccess
  const { client, policyFile, registeredAgentsOnly, consumerHint } = access
  const file = policyFile === undefined ? undefined : await openPolicyFile(policyFile, log.child('access'))
  if (file !== undefined) closing.push(() => file.close())
  return checkedAccess({
    ...(client && { reviewer: kubernetesReviewer(client, clock, log.child('access')) }),
    ...(file && { policy: () => file.current }),
    registeredAgentsOnly,
    ...(consumerHint !== undefined && { unchanged: { path: CONSUMERS_PATH, hint: consumerHint } }),
  })
}

async function openTls(files: TlsFiles | undefined, { log }: ResolvedOptions, closing: ClosingStep[]) {
  if (files === undefined) return undefined
  const source = await openTlsFiles(files, log.child('tls'))
  closing.push(() => source.close())
  return source
}

/** Without a broker, sources and REST clients are served, and works are published later: the server stays ready. */
function mqttHealth(bridge: MqttBridge | undefined): object {
  return bridge === undefined ? {} : { mqtt: bridge.isConnected ? 'connected' : 'disconnected' }
}

async function healthOf(core: MaestroCore, database: Database): Promise<Health> {
  try {
    const silence = AbortSignal.timeout(DATABASE_TIMEOUT_MS)
    const late = new Promise<never>((_, reject) => {
      silence.addEventListener('abort', () => reject(silence.reason))
    })
    const asked = database.query<{ is_read_only: boolean }>({ text: IS_READ_ONLY })
    const [row] = await Promise.race([asked, late])
    if (row?.is_read_only !== false) return 'error'
  } catch {
    return 'error'
  }
  return core.ready ? 'ok' : 'not ready'
}

async function metricsRefusal(access: Access, request: IncomingMessage): Promise<Refusal> {
  try {
    const caller = await access.authenticate(credentialsOf(request))
    await access.authorize(caller, 'get', '/metrics')
    return undefined
  } catch (error) {
    const { httpStatus, reason } = error instanceof MaestroError ? error : new MaestroError('General')
    return { status: httpStatus, reason }
  }
}
