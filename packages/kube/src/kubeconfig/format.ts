import type { ClientConfig, Pem } from './client-config.js'
import type { Cluster, Context, Entry, Kubeconfig, User } from './types.js'

export interface EntryNames {
  /** The name of the context, and of the others unless they are given. */
  readonly name: string
  readonly cluster?: string
  readonly user?: string
}

/** A kubeconfig with one context for `config`. */
export function kubeconfigOf(config: ClientConfig, names: EntryNames): Kubeconfig {
  const { name, cluster = name, user = name } = names
  const context = { cluster, user, ...(config.namespace !== undefined && { namespace: config.namespace }) }
  return {
    files: [],
    currentContext: name,
    clusters: only(cluster, clusterOf(config)),
    users: only(user, userOf(config)),
    contexts: only(name, context),
  }
}

/** The content of a kubeconfig file, in kubectl's order. */
export function plainKubeconfig(kubeconfig: Kubeconfig) {
  const list = <T, F extends string>(entries: ReadonlyMap<string, Entry<T>>, field: F) =>
    [...entries.values()].map(({ name, value }) => ({ [field]: value, name }) as { name: string } & Record<F, T>)
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: list<Cluster, 'cluster'>(kubeconfig.clusters, 'cluster'),
    contexts: list<Context, 'context'>(kubeconfig.contexts, 'context'),
    'current-context': kubeconfig.currentContext ?? '',
    users: list<User, 'user'>(kubeconfig.users, 'user'),
  }
}

/** A kubeconfig as YAML. */
export async function formatKubeconfig(kubeconfig: Kubeconfig): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(plainKubeconfig(kubeconfig), YAML_OUT)
}

/** Each value on one line, and quoted where a YAML 1.1 parser, such as kubectl's, requires it. */
export const YAML_OUT = { version: '1.1', lineWidth: 0 } as const

function only<T>(name: string, value: T): Map<string, Entry<T>> {
  return new Map([[name, { name, value, file: undefined }]])
}

function clusterOf(config: ClientConfig): Cluster {
  return {
    ...pemFields('certificate-authority', config.certificateAuthority),
    ...(config.disableCompression === true && { 'disable-compression': true }),
    ...(config.execClusterConfig !== undefined && {
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: config.execClusterConfig }],
    }),
    ...(config.insecureSkipTlsVerify === true && { 'insecure-skip-tls-verify': true }),
    ...(config.proxyUrl !== undefined && { 'proxy-url': config.proxyUrl }),
    server: config.server,
    ...(config.tlsServerName !== undefined && { 'tls-server-name': config.tlsServerName }),
  }
}

function userOf(config: ClientConfig): User {
  const { impersonate, exec, token, tokenFile, username, password } = config
  return {
    ...pemFields('client-certificate', config.clientCertificate),
    ...pemFields('client-key', config.clientKey),
    ...(token !== undefined && { token }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(exec !== undefined && { exec }),
    ...(impersonate !== undefined && {
      as: impersonate.user,
      ...(impersonate.uid !== undefined && { 'as-uid': impersonate.uid }),
      ...(impersonate.groups !== undefined && { 'as-groups': impersonate.groups }),
      ...(impersonate.extra !== undefined && { 'as-user-extra': impersonate.extra }),
    }),
  }
}

type PemField = 'certificate-authority' | 'client-certificate' | 'client-key'

function pemFields(field: PemField, pem: Pem | undefined): Cluster & User {
  if (pem === undefined) return {}
  return 'file' in pem ? { [field]: pem.file } : { [`${field}-data`]: Buffer.from(pem.text).toString('base64') }
}
