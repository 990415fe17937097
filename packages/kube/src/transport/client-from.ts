import { type ClientOptions, KubeClient } from '../client/client.js'
import type { ClientConfig } from '../kubeconfig/client-config.js'
import type { Environment } from '../kubeconfig/load.js'
import type { ConfigSource } from '../kubeconfig/source.js'
import type { ConnectOptions } from './connect.js'

/**
 * A client of the server that a kubeconfig names: a path, a configuration, or what kubectl would use. Fails at once when
 * that cannot be read. Kubeconfigs and the network are loaded by the first call: a program that only imports the package
 * does not pay for them.
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
