import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeClient } from '@orrery/kube/client'
import { formatKubeconfig, kubeconfigOf } from '@orrery/kube/kubeconfig'
import { type ClosingStep, closeAll } from '@orrery/kube/process'
import { ServiceNetwork } from '../admission-plugins/index.js'
import { AuditLog } from '../audit/audit-log.js'
import { Auditor } from '../audit/auditor.js'
import { AuditPolicy } from '../audit/policy.js'
import { InProcessTransport } from '../http/in-process-transport.js'
import { type Listener, listen } from '../http/listener.js'
import { sharedResources } from '../http/serving-limits.js'
import { SYSTEM_MASTER } from '../identity/identity.js'
import { openClusterPki } from '../pki/cluster-pki.js'
import { openStore } from '../store/open.js'
import type { ApiServer } from './api-server.js'
import { type Address, assemble } from './assembly.js'
import { type ApiServerOptions, type ResolvedOptions, resolveOptions } from './options.js'

/** Starts an API server. Resolves when it is ready: `/readyz` is ok. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const resolved = resolveOptions(options)
  const cleanUp: ClosingStep[] = []
  const close = () => closeAll(cleanUp)
  try {
    return await start(resolved, cleanUp, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function start(options: ResolvedOptions, cleanUp: ClosingStep[], close: () => Promise<void>): Promise<ApiServer> {
  const { clock, log } = options
  const dataDirectory = options.dataDirectory ?? (await temporaryDirectory(cleanUp))
  const storeLog = log.child('store')
  const store = await openStore(dataDirectory, {
    clock,
    newStore: options.newStore,
    hadStore: options.hadStore,
    onWarning: (message, error) => storeLog.error(message, { error: String(error) }),
    onRecovered: () => storeLog.info('the storage accepts writes again'),
  })
  cleanUp.push(() => store.close())
  const serviceNetwork = new ServiceNetwork(options.serviceCidr)
  const pki = await openClusterPki({
    serviceIp: serviceNetwork.first,
    directory: join(dataDirectory, 'pki'),
    hosts: servedHosts(options),
    clock,
    log: log.child('pki'),
  })
  cleanUp.push(() => pki.close())

  let listener: Listener | undefined
  let unready: string | undefined = 'the server is starting'
  const host = options.host === false ? 'localhost' : displayHost(options.host)
  const address = (): Address => ({
    url: listener === undefined ? '' : `https://${host}:${listener.port}`,
    hostPort: `${host}:${listener?.port ?? 0}`,
    endpoint: endpointOf(listener),
  })
  const assembly = assemble({
    options,
    store,
    directory: dataDirectory,
    auditor: await openAudit(options, cleanUp),
    pki,
    serviceNetwork,
    address,
    unready: () => unready,
  })
  cleanUp.push(() => assembly.close())
  if (options.host !== false) {
    listener = await listen({
      host: options.host,
      port: options.port,
      key: pki.serving.key,
      cert: pki.serving.certificate,
      clientCa: pki.authority.certificatePem,
      resources: sharedResources(options.limits),
      handle: (exchange) => void assembly.pipeline.handle(exchange),
    })
    const opened = listener
    cleanUp.push(() => {
      unready = 'the server is stopping'
      const closed = opened.close()
      assembly.endWatches()
      return closed
    })
    cleanUp.push(pki.onServingRenewed(({ key, certificate }) => opened.setCertificate(key, certificate)))
  }
  await assembly.startControllers()
  const server: ApiServer = {
    url: address().url,
    port: listener?.port ?? 0,
    dataDirectory,
    certificateAuthority: pki.authority.certificatePem,
    client({ identity = SYSTEM_MASTER, ...clientOptions } = {}) {
      const transport = new InProcessTransport((exchange) => assembly.pipeline.handle(exchange), identity)
      return new KubeClient(transport, clientOptions)
    },
    kubeconfig(name = 'orrery') {
      const admin = {
        server: address().url,
        certificateAuthority: { text: pki.authority.certificatePem },
        clientCertificate: { text: pki.admin.certificate },
        clientKey: { text: pki.admin.key },
      }
      return formatKubeconfig(kubeconfigOf(admin, { name, user: `${name}-admin` }))
    },
    backup: (file) => store.backup(file),
    compact: () => store.compact(store.revision),
    close,
  }
  await options.beforeReady(server)
  unready = undefined
  return server
}

async function openAudit({ audit, clock, log }: ResolvedOptions, cleanUp: ClosingStep[]): Promise<Auditor | undefined> {
  if (audit === undefined) return undefined
  const policy =
    audit.policyFile === undefined
      ? AuditPolicy.metadataOnly()
      : AuditPolicy.parse(await readFile(audit.policyFile, 'utf8'))
  const auditLog = log.child('audit')
  const file = new AuditLog({ path: audit.file, log: auditLog })
  const auditor = new Auditor(policy, file, clock)
  cleanUp.push(async () => {
    const requests = await auditor.close()
    if (requests > 0) auditLog.error('requests did not end before the audit log was closed', { requests })
  })
  await file.open()
  return auditor
}

async function temporaryDirectory(cleanUp: ClosingStep[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-apiserver-'))
  cleanUp.push(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Returns the endpoint of the `kubernetes` Service. Kubernetes does not allow a loopback address: then it has none. */
function endpointOf(listener: Listener | undefined): Address['endpoint'] {
  if (listener === undefined) return undefined
  const { host, port } = listener
  const ip = isEverywhere(host)
    ? Object.values(networkInterfaces())
        .flat()
        .find((one) => one?.internal === false)?.address
    : host
  return ip === undefined || ip === '::1' || ip.startsWith('127.') ? undefined : { ip, port }
}

/** Returns the additional names of the serving certificate. */
function servedHosts({ host, hosts }: ResolvedOptions): readonly string[] {
  return host === false || isEverywhere(host) ? hosts : [host, ...hosts]
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Returns an address that clients can use for a listener on all interfaces. */
function displayHost(host: string): string {
  // Not a host name, which may resolve to another address than the one listened on.
  if (isEverywhere(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
