import { readFile } from 'node:fs/promises'
import { ManagedCluster } from '@orrery/api'
import { isForbidden, isNotFound, isUnauthorized } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { clientConfigOf, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { isConnectionError } from '@orrery/kube/transport'
import { withoutRequest } from '../shared/explain.js'

export interface BootstrapOptions {
  readonly hubApiserver: string
  readonly hubToken: string
  readonly caFile?: string
  readonly caData?: string
  readonly proxyUrl?: string
}

const PEM = /-----BEGIN CERTIFICATE-----/

/** Creates a bootstrap kubeconfig from the options of `orrery join`. */
export async function bootstrapKubeconfigFrom(options: BootstrapOptions): Promise<string> {
  const { hubApiserver, hubToken: token, proxyUrl } = options
  if (!URL.canParse(hubApiserver) || new URL(hubApiserver).protocol !== 'https:') {
    throw new Error('--hub-apiserver is not an https URL: use a URL such as https://hub.example.com:6443')
  }
  const ca = await authorityOf(options)
  const { bootstrapKubeconfig } = await import('@orrery/agent')
  return bootstrapKubeconfig({
    server: hubApiserver,
    token,
    ...(ca !== undefined && { ca }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  })
}

async function authorityOf({ caFile, caData }: BootstrapOptions): Promise<string | undefined> {
  if (caFile !== undefined && caData !== undefined) throw new Error('--ca-file cannot be used with --ca-data: use one')
  if (caFile === undefined && caData === undefined) return undefined
  const text =
    caFile === undefined ? Buffer.from(caData ?? '', 'base64').toString('utf8') : await readFile(caFile, 'utf8')
  if (!PEM.test(text)) {
    throw new Error(
      caFile === undefined ? '--ca-data is not a base64-encoded certificate' : `${caFile}: no PEM certificate found`,
    )
  }
  return text
}

/** Timeout of the first request to the hub. */
const TIMEOUT_MS = 15_000

/** Connects to the hub with a bootstrap kubeconfig and checks the credentials. Adds advice to errors. */
export async function connectToHub(kubeconfig: string, clusterName: string): Promise<KubeClient> {
  const config = clientConfigOf(await parseKubeconfig(kubeconfig))
  const client = await clientFrom(config, { userAgent: 'orrery-cli' })
  try {
    await client.find(ManagedCluster, { name: clusterName }, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return client
  } catch (error) {
    client.close()
    throw new Error(`cannot join the hub at ${config.server}: ${withoutRequest(error as Error)}\n${adviceOn(error)}`, {
      cause: error,
    })
  }
}

function adviceOn(error: unknown): string {
  if (isUnauthorized(error)) return 'The token is invalid or has expired: run `orrery get token` on the hub.'
  if (isForbidden(error)) return 'The token is not a join token: run `orrery get token` on the hub.'
  if (isNotFound(error)) return 'The cluster is not a hub: run `orrery init` to make it a hub.'
  if (isConnectionError(error) && /certificate|self.signed|issuer|altname/i.test(error.message)) {
    return 'Set the certificate authority of the hub with --ca-file or --ca-data: `orrery get token` on the hub prints it.'
  }
  return 'Check --hub-apiserver. If a proxy is required, set --proxy-url.'
}
