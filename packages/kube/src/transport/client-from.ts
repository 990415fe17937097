import { type ClientOptions, KubeClient } from '../client/client.js'
import type { ClientConfig } from '../kubeconfig/client-config.js'
import type { Environment } from '../kubeconfig/load.js'
import type { ConfigSource } from '../kubeconfig/source.js'
import type { ConnectOptions } from './connect.js'

/**
 * A client of the server in a kubeconfig: a path, a configuration, or kubectl's default. Rejects at once if that cannot
 * be read. The code for kubeconfigs and the network is loaded by the first call, so that a program that only imports the
 * package starts fast.
 */
export async function clientFrom(
  config?: string | ClientConfig | ConfigSource,
  options: ConnectOptions & ClientOptions = {},
): Promise<KubeClient> {
  const { environment } = options
  const source = await sourceOf(config, { ...(environment !== undefined && { environment }) })
  await source.read()
  const { connect } = await import('./connect.js')
  return new KubeClient(connect(source, options), options)
}

async function sourceOf(
  config: string | ClientConfig | ConfigSource | undefined,
  from: { environment?: Environment },
): Promise<ConfigSource> {
  const { defaultSource, fixedSource, kubeconfigSource } = await import('../kubeconfig/source.js')
  if (config === undefined) return defaultSource(from)
  if (typeof config === 'string') return kubeconfigSource({ path: config, ...from })
  return 'read' in config ? config : fixedSource(config)
}
