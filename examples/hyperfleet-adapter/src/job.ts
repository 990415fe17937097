import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AdapterReport, applyAndReport, staticConsumer, type WatchableWorkClient } from '@orrery/hyperfleet'
import { isUnauthorized } from '@orrery/kinds/values'
import { feedback, type MaestroWorkClient, maestroWorkClient } from '@orrery/maestro'
import { type HostedClusterStatus, hostedClusterWork } from './hosted-cluster.js'

export type Environment = Readonly<Record<string, string | undefined>>

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/** Connects to the Maestro of `MAESTRO_API_URL` and `MAESTRO_GRPC_URL`. */
export function connect(environment: Environment): MaestroWorkClient {
  const { MAESTRO_CA_FILE: caFile } = environment
  const tokenFile = tokenFileOf(environment)
  return maestroWorkClient({
    apiUrl: required(environment, 'MAESTRO_API_URL'),
    grpcUrl: required(environment, 'MAESTRO_GRPC_URL'),
    sourceId: environment.MAESTRO_SOURCE_ID ?? 'my-adapter',
    // It is read again when Kubernetes rotates the token.
    ...(tokenFile !== undefined && { tokenFile }),
    ...(caFile !== undefined && { ca: { file: caFile } }),
  })
}

/** The file with the token, which is sent over TLS only. Undefined without one: some servers need none. */
function tokenFileOf({ MAESTRO_API_URL = '', MAESTRO_TOKEN_FILE: file }: Environment): string | undefined {
  const isSecure = MAESTRO_API_URL.startsWith('https:')
  if (file !== undefined && !isSecure && MAESTRO_API_URL !== '') {
    throw new Error(
      'MAESTRO_TOKEN_FILE needs a MAESTRO_API_URL that begins with https://: tokens are sent over TLS only',
    )
  }
  return file ?? (isSecure && existsSync(SERVICE_ACCOUNT_TOKEN) ? SERVICE_ACCOUNT_TOKEN : undefined)
}

/** The message of an error of the job, with the variable to set. */
export function messageOf(error: Error, environment: Environment): string {
  if (error.message.endsWith('not signed by a trusted authority')) {
    return `${error.message}: set MAESTRO_CA_FILE to the certificate authority of Maestro`
  }
  if (!isUnauthorized(error.cause ?? error) || tokenFileOf(environment) !== undefined) return error.message
  const missing = `${SERVICE_ACCOUNT_TOKEN} does not exist`
  return `${error.message}: set MAESTRO_TOKEN_FILE to a file with a token, because ${missing}`
}

function required(environment: Environment, name: string): string {
  const value = environment[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set: the adapter framework provides it`)
  return value
}

function secondsOf(environment: Environment, name: string): number {
  const seconds = Number(environment[name] ?? 0)
  if (!(seconds >= 0)) throw new Error(`${name} is ${JSON.stringify(environment[name])}: set it to a number of seconds`)
  return seconds
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
    waitMilliseconds: secondsOf(environment, 'WAIT_SECONDS') * 1_000,
    data(work) {
      const endpoint = feedback<HostedClusterStatus>(work, 'status')?.controlPlaneEndpoint
      return endpoint === undefined ? undefined : { control_plane_endpoint: endpoint }
    },
    reportFile: join(results, 'adapter-report.json'),
    resultFile: join(results, 'adapter-result.json'),
  })
}
