import { readFileSync } from 'node:fs'
import { clientFrom, type KubeClient, type Logger } from '@orrery/kube'
import { inClusterConfig } from '@orrery/kube/kubeconfig'
import { type MaestroClientOptions, type MaestroWorkClient, maestroWorkClient } from '@orrery/maestro'
import { AdapterError } from '../adapter-error.js'
import { type ApiClient, apiClient } from '../api/api-client.js'
import type { AdapterConfig, MaestroConfig } from '../config/adapter-config.js'
import type { Adapter } from '../config/load.js'
import { kubeObjects } from '../objects/object-client.js'
import type { RunContext } from '../run/execute.js'

/** The client of the HyperFleet API that a configuration describes. */
export function connectApi({ api }: AdapterConfig): ApiClient {
  return apiClient({
    baseUrl: api.baseUrl,
    headers: api.defaultHeaders,
    timeoutMilliseconds: api.timeoutMilliseconds,
    tokenTtlMilliseconds: api.tokenCacheTtlMilliseconds,
    retry: {
      attempts: api.retryAttempts,
      backoff: api.retryBackoff,
      baseMilliseconds: api.baseDelayMilliseconds,
      maxMilliseconds: api.maxDelayMilliseconds,
    },
    ...(api.tokenPath === undefined ? {} : { tokenFile: api.tokenPath }),
  })
}

/** The client of Maestro that a configuration describes. */
export function connectMaestro({ maestro }: AdapterConfig, log: Logger): MaestroWorkClient {
  if (maestro === undefined) throw new AdapterError('Configuration', 'clients.maestro: Required value')
  return maestroWorkClient({ ...maestroOptions(maestro), log })
}

/** The client of the Kubernetes API that a configuration describes. Outside pods it needs a kubeconfig. */
export async function connectKubernetes(
  { adapter, kubernetes: { kubeConfigPath, qps, burst } }: AdapterConfig,
  environment: Adapter['environment'],
): Promise<KubeClient> {
  const source = kubeConfigPath ?? (await inClusterConfig({ environment }))
  if (source === undefined) {
    const detail = 'set it to a kubeconfig, or run the adapter in a pod with a service account'
    throw new AdapterError('Configuration', `clients.kubernetes.kube_config_path: Required value: ${detail}`)
  }
  try {
    return await clientFrom(source, { fieldManager: adapter.name, rateLimit: { qps, burst } })
  } catch (error) {
    const message = `clients.kubernetes.kube_config_path: ${(error as Error).message}`
    throw new AdapterError('Kubernetes', message, { cause: error })
  }
}

/** The clients that the resources of a task need. */
export interface Connection extends Pick<RunContext, 'client' | 'objects'> {
  close(): Promise<void>
}

export async function connectTransports({ config, task, environment }: Adapter, log: Logger): Promise<Connection> {
  const isUsed = task.resources.some(({ transport }) => transport.client === 'kubernetes')
  const kube = isUsed ? await connectKubernetes(config, environment) : undefined
  const maestro = config.maestro === undefined ? undefined : connectMaestro(config, log)
  return {
    ...(kube === undefined ? {} : { objects: kubeObjects(kube) }),
    ...(maestro === undefined ? {} : { client: maestro }),
    async close() {
      kube?.close()
      await maestro?.close()
    },
  }
}

export function maestroOptions(maestro: MaestroConfig): MaestroClientOptions {
  const { grpcServerAddress, certFile, keyFile, tokenFile } = maestro
  const hasScheme = grpcServerAddress.includes('://')
  const ca = authorities(maestro)
  return {
    apiUrl: maestro.httpServerAddress,
    grpcUrl: hasScheme || maestro.insecure ? grpcServerAddress : `https://${grpcServerAddress}`,
    sourceId: maestro.sourceId,
    requestMilliseconds: maestro.timeoutMilliseconds,
    retry: { attempts: maestro.retryAttempts },
    ...(ca === undefined ? {} : { ca }),
    ...(certFile === undefined || keyFile === undefined
      ? {}
      : { certificates: { certificate: { file: certFile }, key: { file: keyFile } } }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
  }
}

/** One bundle for both ports, which can have certificates of different authorities. */
function authorities({ caFile, httpCaFile }: MaestroConfig): MaestroClientOptions['ca'] | undefined {
  const files = [...new Set([caFile, httpCaFile].filter((file) => file !== undefined))]
  if (files[0] === undefined) return undefined
  // A file is read again when it changes; only a bundle of two is not.
  return files.length === 1 ? { file: files[0] } : { text: files.map((file) => readFileSync(file, 'utf8')).join('\n') }
}
