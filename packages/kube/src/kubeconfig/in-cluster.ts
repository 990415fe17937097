import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientConfig } from './client-config.js'
import type { Environment } from './load.js'

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface InClusterOptions {
  /** Default: of the process. */
  readonly environment?: Environment
  /** The directory with the pod's token and CA. Default: the kubelet's. */
  readonly directory?: string
}

/** The configuration of a pod's service account for its own cluster; undefined outside pods. */
export async function inClusterConfig(options: InClusterOptions = {}): Promise<ClientConfig | undefined> {
  const { environment = process.env, directory = SERVICE_ACCOUNT } = options
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  const tokenFile = join(directory, 'token')
  if (!host || !port || !existsSync(tokenFile)) return undefined
  const authority = join(directory, 'ca.crt')
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tokenFile,
    ...(existsSync(authority) && { certificateAuthority: { file: authority } }),
    namespace: environment.POD_NAMESPACE || (await namespaceIn(directory)),
    origin: `service account in ${directory}`,
  }
}

async function namespaceIn(directory: string): Promise<string> {
  try {
    return (await readFile(join(directory, 'namespace'), 'utf8')).trim() || 'default'
  } catch {
    // A pod may have a token without it.
    return 'default'
  }
}
