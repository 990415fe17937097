import { readFileSync } from 'node:fs'
import type { Logger } from '@orrery/kube'
import { type MaestroClientOptions, type MaestroWorkClient, maestroWorkClient } from '@orrery/maestro'
import { type ApiClient, apiClient } from '../api/api-client.js'
import type { AdapterConfig, MaestroConfig } from '../config/adapter-config.js'

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
  return maestroWorkClient({ ...maestroOptions(maestro), log })
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
