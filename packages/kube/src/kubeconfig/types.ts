/** A kubeconfig's entry for a server. */
export interface Cluster {
  server?: string
  'tls-server-name'?: string
  'insecure-skip-tls-verify'?: boolean
  'certificate-authority'?: string
  'certificate-authority-data'?: string
  'proxy-url'?: string
  'disable-compression'?: boolean
  /** Items may be empty. */
  extensions?: readonly (NamedExtension | null)[]
}

/** A kubeconfig's entry for an identity. */
export interface User {
  'client-certificate'?: string
  'client-certificate-data'?: string
  'client-key'?: string
  'client-key-data'?: string
  token?: string
  tokenFile?: string
  username?: string
  password?: string
  as?: string
  'as-uid'?: string
  'as-groups'?: readonly string[]
  'as-user-extra'?: Readonly<Record<string, readonly string[]>>
  'auth-provider'?: object
  exec?: ExecConfig
}

/** A command that prints credentials (KEP-541). */
export interface ExecConfig {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value?: string | null }[] | null
  /** What to tell people who do not have the command. */
  readonly installHint?: string
  /** Whether the command is told of the cluster, in `KUBERNETES_EXEC_INFO`. */
  readonly provideClusterInfo?: boolean
  /** Whether the command may use the terminal. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
}

/** A kubeconfig's pairing of a server with an identity. */
export interface Context {
  cluster?: string
  user?: string
  namespace?: string
}

export interface NamedExtension {
  readonly name: string
  readonly extension?: unknown
}

/** An entry and where it was read: paths in it count from there. */
export interface Entry<T> {
  readonly name: string
  readonly value: T
  readonly file: string | undefined
}

/** One kubeconfig, or several merged. Fields that are not listed in the types are kept as they are. */
export interface Kubeconfig {
  /** The files it was read from. */
  readonly files: readonly string[]
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, Entry<Cluster>>
  readonly users: ReadonlyMap<string, Entry<User>>
  readonly contexts: ReadonlyMap<string, Entry<Context>>
}

/** A kubeconfig that cannot be used. The message names the file, the entry and the fix, and never a secret. */
export class KubeconfigError extends Error {
  constructor(file: string | undefined, problem: string, options?: ErrorOptions) {
    super(file === undefined ? problem : `${file}: ${problem}`, options)
    this.name = 'KubeconfigError'
  }
}
