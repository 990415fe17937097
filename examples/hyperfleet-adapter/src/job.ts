import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AdapterReport, applyAndReport, staticConsumer, type WatchableWorkClient } from '@orrery/hyperfleet'
import { feedback, type MaestroWorkClient, maestroWorkClient } from '@orrery/maestro'
import { type HostedClusterStatus, hostedClusterWork } from './hosted-cluster.js'

export type Environment = Readonly<Record<string, string | undefined>>

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/** Connects to the Maestro of `MAESTRO_API_URL` and `MAESTRO_GRPC_URL`. */
export function connect(environment: Environment): MaestroWorkClient {
  const apiUrl = required(environment, 'MAESTRO_API_URL')
  const { MAESTRO_TOKEN_FILE: tokenFile = SERVICE_ACCOUNT_TOKEN, MAESTRO_CA_FILE: caFile } = environment
  // A token is sent only over TLS. Its file is read again when Kubernetes rotates the token.
  const hasToken = apiUrl.startsWith('https:') && (tokenFile !== SERVICE_ACCOUNT_TOKEN || existsSync(tokenFile))
  return maestroWorkClient({
    apiUrl,
    grpcUrl: required(environment, 'MAESTRO_GRPC_URL'),
    sourceId: environment.MAESTRO_SOURCE_ID ?? 'my-adapter',
    ...(hasToken && { tokenFile }),
    ...(caFile !== undefined && { ca: { file: caFile } }),
  })
}

function required(environment: Environment, name: string): string {
  const value = environment[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set: the adapter framework provides it`)
  return value
}

/** Creates the HostedCluster, or reads its status if it exists, and writes the results. */
export async function runJob(
  client: WatchableWorkClient,
  environment: Environment,
  signal: AbortSignal,
): Promise<AdapterReport> {
  const clusterId = environment.CLUSTER_ID ?? 'abc123'
  const consumer = await staticConsumer(environment).consumerFor(clusterId, signal)
  const results = environment.RESULTS_DIR ?? '/results'
  return applyAndReport({
    client,
    signal,
    work: hostedClusterWork(consumer, {
      clusterId,
      name: environment.CLUSTER_NAME ?? 'my-cluster',
      namespace: environment.CLUSTER_NAMESPACE ?? 'clusters',
      release: environment.RELEASE_IMAGE ?? 'quay.io/openshift-release-dev/ocp-release:4.14.0',
    }),
    availableReason: 'ControlPlaneReady',
    waitMilliseconds: Number(environment.WAIT_SECONDS ?? 0) * 1_000,
    data(work) {
      const endpoint = feedback<HostedClusterStatus>(work, 'status')?.controlPlaneEndpoint
      return endpoint === undefined ? undefined : { control_plane_endpoint: endpoint }
    },
    reportFile: join(results, 'adapter-report.json'),
    resultFile: join(results, 'adapter-result.json'),
  })
}
