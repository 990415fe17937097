import { isDNS1123Label } from '@orrery/kinds/values'
import type { ClientConfig, Impersonation, Pem } from './client-config.js'
import { type Cluster, type Entry, type ExecConfig, type Kubeconfig, KubeconfigError, type User } from './types.js'

export interface SelectOptions {
  /** Default: the current context. */
  readonly context?: string | undefined
}

/** The client configuration of a context of a kubeconfig. */
export function clientConfigOf(kubeconfig: Kubeconfig, options: SelectOptions = {}): ClientConfig {
  const { value: context, file, name } = contextOf(kubeconfig, options.context)
  const where = `context ${JSON.stringify(name)}`
  const { namespace } = context
  if (namespace !== undefined && namespace !== '' && isDNS1123Label(namespace).length > 0) {
    throw new KubeconfigError(file, `${where}: ${JSON.stringify(namespace)} is not a valid namespace name`)
  }
  const cluster = entryOf(kubeconfig.clusters, context.cluster, 'cluster', file, where)
  const user = entryOf(kubeconfig.users, context.user, 'user', file, where)
  return {
    ...clusterConfig(cluster),
    ...userConfig(user),
    ...(namespace !== undefined && namespace !== '' && { namespace }),
    ...execClusterConfig(cluster.value),
    origin: prefixed(user.file, `user ${JSON.stringify(user.name)}`),
  }
}

function contextOf(kubeconfig: Kubeconfig, wanted: string | undefined) {
  const { contexts, currentContext, files } = kubeconfig
  const file = files.length === 0 ? undefined : files.join(', ')
  const name = wanted ?? currentContext
  const known = [...contexts.keys()].map((one) => JSON.stringify(one)).join(', ')
  const choice = known === '' ? 'the kubeconfig has no contexts' : `choose one of ${known}`
  if (name === undefined) throw new KubeconfigError(file, `current-context is not set: ${choice}`)
  const context = contexts.get(name)
  if (context !== undefined) return context
  throw new KubeconfigError(file, `context ${JSON.stringify(name)} does not exist: ${choice}`)
}

function entryOf<T>(
  entries: ReadonlyMap<string, Entry<T>>,
  name: string | undefined,
  what: 'cluster' | 'user',
  file: string | undefined,
  where: string,
): Entry<T> {
  if (name === undefined || name === '') throw new KubeconfigError(file, `${where}: ${what} is not set`)
  const entry = entries.get(name)
  if (entry !== undefined) return entry
  throw new KubeconfigError(file, `${where}: ${what} ${JSON.stringify(name)} does not exist: add it to ${what}s`)
}

function clusterConfig({ name, value: cluster, file }: Entry<Cluster>): ClientConfig {
  const bad = (problem: string) => new KubeconfigError(file, `cluster ${JSON.stringify(name)}: ${problem}`)
  const server = serverUrl(cluster.server ?? '')
  if (server === undefined) throw bad('server must be a URL such as https://host:6443')
  const certificateAuthority = pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'])
  const insecure = cluster['insecure-skip-tls-verify'] === true
  if (insecure && certificateAuthority !== undefined) {
    throw bad('insecure-skip-tls-verify contradicts certificate-authority: remove one')
  }
  const proxyUrl = cluster['proxy-url'] ?? ''
  if (proxyUrl !== '' && !isProxyUrl(proxyUrl)) {
    throw bad('proxy-url must be a URL that begins with http://, https:// or socks5://')
  }
  const tlsServerName = cluster['tls-server-name'] ?? ''
  return {
    server,
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(tlsServerName !== '' && { tlsServerName }),
    ...(insecure && { insecureSkipTlsVerify: true }),
    ...(proxyUrl !== '' && { proxyUrl }),
    ...(cluster['disable-compression'] === true && { disableCompression: true }),
  }
}

function userConfig({ name, value: user, file }: Entry<User>): Partial<ClientConfig> {
  const bad = (problem: string) => new KubeconfigError(file, `user ${JSON.stringify(name)}: ${problem}`)
  const clientCertificate = pemOf(user['client-certificate-data'], user['client-certificate'])
  const clientKey = pemOf(user['client-key-data'], user['client-key'])
  if (clientCertificate !== undefined && clientKey === undefined) {
    throw bad('client-certificate has no key: set client-key or client-key-data')
  }
  const { token = '', tokenFile = '', username = '', password = '', exec } = user
  if (token !== '' && (username !== '' || password !== '')) {
    throw bad('token and username are both set: remove one')
  }
  if (user['auth-provider'] !== undefined && exec === undefined && token === '' && tokenFile === '') {
    throw bad('auth-provider is no longer part of Kubernetes: use an exec plugin, see KEP-541')
  }
  const impersonate = impersonationOf(user, bad)
  return {
    // As in client-go, a key alone is no identity.
    ...(clientCertificate !== undefined && clientKey !== undefined && { clientCertificate, clientKey }),
    ...(token !== '' && { token }),
    ...(tokenFile !== '' && { tokenFile }),
    ...((username !== '' || password !== '') && { username, password }),
    ...(exec !== undefined && { exec: checkedExec(exec, bad) }),
    ...(impersonate !== undefined && { impersonate }),
  }
}

function impersonationOf(user: User, bad: (problem: string) => Error): Impersonation | undefined {
  const { as = '', 'as-uid': uid = '', 'as-groups': groups = [], 'as-user-extra': extra = {} } = user
  if (as !== '') return { user: as, ...(uid !== '' && { uid }), groups, extra }
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined
  throw bad('as-uid, as-groups and as-user-extra require a user: set as')
}

const EXEC_GROUP = 'client.authentication.k8s.io'
const EXEC_VERSIONS: readonly (string | undefined)[] = [`${EXEC_GROUP}/v1`, `${EXEC_GROUP}/v1beta1`]
const EXEC_MODES: readonly string[] = ['Never', 'IfAvailable', 'Always']

function checkedExec(exec: ExecConfig, bad: (problem: string) => Error): ExecConfig {
  if (!exec.command) throw bad('exec: command is not set')
  if (!EXEC_VERSIONS.includes(exec.apiVersion)) {
    throw bad(`exec: apiVersion must be ${EXEC_VERSIONS.join(' or ')}; the command may need an update`)
  }
  // Version v1beta1 has no such field; version v1 requires it.
  const mode = exec.interactiveMode || (exec.apiVersion === `${EXEC_GROUP}/v1beta1` ? 'IfAvailable' : '')
  if (!EXEC_MODES.includes(mode)) throw bad(`exec: interactiveMode must be ${EXEC_MODES.join(', ')}`)
  return { ...exec, interactiveMode: mode as NonNullable<ExecConfig['interactiveMode']> }
}

function execClusterConfig({ extensions = [] }: Cluster): Pick<ClientConfig, 'execClusterConfig'> {
  const found = extensions.find((one) => one?.name === `${EXEC_GROUP}/exec`)
  return found ? { execClusterConfig: found.extension } : {}
}

/** Data takes precedence over files, as in client-go. */
function pemOf(data: string | undefined, file: string | undefined): Pem | undefined {
  if (data !== undefined && data !== '') return { text: Buffer.from(data, 'base64').toString('utf8') }
  return file === undefined || file === '' ? undefined : { file }
}

/** Without a scheme it is plain HTTP, as in client-go. */
function serverUrl(text: string): string | undefined {
  if (text === '') return undefined
  const url = text.includes('://') ? text : `http://${text}`
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined
}

function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|socks5h?):$/.test(new URL(text).protocol)
}

function prefixed(file: string | undefined, text: string): string {
  return file === undefined ? text : `${file}: ${text}`
}
