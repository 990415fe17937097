import type { ClientConfig } from './client-config.js'
import { type InClusterOptions, inClusterConfig } from './in-cluster.js'
import { kubeconfigPaths, type LoadOptions, loadKubeconfig } from './load.js'
import { clientConfigOf, type SelectOptions } from './select.js'
import { KubeconfigError } from './types.js'

/** A source of a client configuration, which is read again when it changes. */
export interface ConfigSource {
  read(): Promise<ClientConfig>
  /** The files to watch for changes. */
  readonly files: readonly string[]
}

export interface FindOptions extends LoadOptions, SelectOptions, InClusterOptions {}

/** A context of a kubeconfig; the file may be replaced at any time. */
export function kubeconfigSource(options: LoadOptions & SelectOptions = {}): ConfigSource {
  return { files: kubeconfigPaths(options), read: async () => clientConfigOf(await loadKubeconfig(options), options) }
}

/** A configuration that does not change, except for the files it names. */
export function fixedSource(config: ClientConfig): ConfigSource {
  return { files: [], read: async () => config }
}

/** The source that kubectl would use: the kubeconfig, else the service account of the pod. */
export function defaultSource(options: FindOptions = {}): ConfigSource {
  return { files: kubeconfigPaths(options), read: () => findConfig(options) }
}

async function findConfig(options: FindOptions): Promise<ClientConfig> {
  const kubeconfig = await loadKubeconfig(options)
  const isEmpty = kubeconfig.contexts.size === 0 && kubeconfig.clusters.size === 0
  if (!isEmpty || options.path !== undefined) return clientConfigOf(kubeconfig, options)
  const inCluster = await inClusterConfig(options)
  if (inCluster !== undefined) return inCluster
  const looked = kubeconfigPaths(options).join(', ')
  const { environment = process.env } = options
  const problem =
    (environment.KUBECONFIG ?? '') === ''
      ? `no cluster is configured: set KUBECONFIG, or create ${looked}`
      : `KUBECONFIG names ${looked}, which does not exist or has no cluster: correct or unset it`
  throw new KubeconfigError(undefined, problem)
}
