import {
  BOOTSTRAP_SERVICE_ACCOUNT,
  CLUSTER_NAME_LABEL,
  clusterStateOf,
  ManagedCluster,
  OPERATOR_NAMESPACE,
} from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { approveRequest, isApproved, isPending } from '@orrery/kube/csr'
import { awaiting, watchOne } from '@orrery/kube/informer'
import { type AgentName, readAgentRequest } from '../registration/index.js'
import { callOf } from './call.js'
import { OperationError } from './operation-error.js'
import { type Prepared, prepareAll, writeAll } from './prepared.js'

/** Which certificate requests are approved. */
export interface AcceptOptions extends CallOptions {
  /** Users whose certificate requests are approved, besides those with bootstrap credentials. */
  readonly requesters?: readonly string[]
  /** Approve the requests of all users. Default false. */
  readonly anyRequester?: boolean
  /** Default the system clock. */
  readonly clock?: Clock
}

/** The result of accepting a cluster. */
export interface Acceptance {
  readonly cluster: string
  /** The certificate requests that were approved now. */
  readonly approved: readonly string[]
  /** The requests that were not approved, and their users. */
  readonly passedOver: readonly { readonly request: string; readonly requester: string }[]
  /** Whether the cluster was accepted now, and not earlier. */
  readonly isNew: boolean
  /** Whether the agent has a certificate, or gets one now. */
  readonly hasCertificate: boolean
}

const APPROVAL = { reason: 'OrreryAccepted', message: 'A hub administrator accepted the cluster.' }
const BOOTSTRAP_TOKEN_PREFIX = 'system:bootstrap:'
const BOOTSTRAP_ACCOUNT_USER = `system:serviceaccount:${OPERATOR_NAMESPACE}:${BOOTSTRAP_SERVICE_ACCOUNT}`

interface FirstRequest {
  readonly request: CertificateSigningRequest
  readonly agent: AgentName
}

/**
 * Accepts a cluster: approves the first certificate of its agent, and sets `hubAcceptsClient`. Only requests of users with
 * bootstrap credentials are approved, and none if there are requests of several agents for the cluster.
 */
export async function acceptCluster(
  client: KubeClient,
  name: string,
  options: AcceptOptions = {},
): Promise<Acceptance> {
  return (await prepareAcceptance(client, name, options)).write()
}

/** Accepts several clusters, as `acceptCluster` does each. If one of them cannot be accepted, none is. */
export async function acceptClusters(
  client: KubeClient,
  names: readonly string[],
  options: AcceptOptions & { readonly onAccepted?: (acceptance: Acceptance) => void } = {},
): Promise<void> {
  const prepared = await prepareAll(names, (name) => prepareAcceptance(client, name, options))
  await writeAll(prepared, (acceptance) => options.onAccepted?.(acceptance))
}

async function prepareAcceptance(
  client: KubeClient,
  name: string,
  options: AcceptOptions,
): Promise<Prepared<Acceptance>> {
  const call = callOf(options)
  const [cluster, { items }] = await Promise.all([
    client.find(ManagedCluster, { name }, call),
    client.list(CertificateSigningRequest, { ...call, labelSelector: `${CLUSTER_NAME_LABEL}=${name}` }),
  ])
  if (cluster === undefined)
    throw new OperationError(`cluster ${name} does not exist on the hub yet: see \`orrery get clusters\``)
  return preparedFor(client, cluster, items, options)
}

/** As `acceptCluster`, once the ManagedCluster and its certificate request exist. */
export function acceptClusterWhenHere(
  client: KubeClient,
  name: string,
  options: AcceptOptions & { readonly signal: AbortSignal },
): Promise<Acceptance> {
  return awaiting(
    client,
    (informers, onChange) => {
      const clusterNow = watchOne(informers, ManagedCluster, { name }, onChange)
      const requests = informers.of(CertificateSigningRequest, { labelSelector: `${CLUSTER_NAME_LABEL}=${name}` })
      requests.subscribe(onChange)
      // The cluster may exist, and be accepted, before its agent requests a certificate.
      let isNew = false
      return async () => {
        const cluster = clusterNow()
        if (cluster === undefined) return undefined
        const { write } = await preparedFor(client, cluster, requests.list(), options)
        const acceptance = await write()
        isNew ||= acceptance.isNew
        return acceptance.hasCertificate ? { ...acceptance, isNew } : undefined
      }
    },
    options.signal,
  )
}

async function preparedFor(
  client: KubeClient,
  cluster: ManagedCluster,
  requests: readonly CertificateSigningRequest[],
  options: AcceptOptions,
): Promise<Prepared<Acceptance>> {
  const { name } = cluster.metadata
  const asked = await firstRequests(requests)
  const pending = asked.filter(({ request }) => isPending(request))
  const wanted = pending.filter(({ request }) => isTrusted(request, options))
  refuseSeveralAgents(name, wanted)
  const isNew = cluster.spec?.hubAcceptsClient !== true
  const acceptance = {
    cluster: name,
    approved: wanted.map(({ request }) => request.metadata.name),
    passedOver: pending
      .filter((one) => !wanted.includes(one))
      .map(({ request }) => ({ request: request.metadata.name, requester: request.spec.username ?? '' })),
    isNew,
    hasCertificate:
      wanted.length > 0 ||
      asked.some(({ request }) => isApproved(request)) ||
      clusterStateOf(cluster).joined === 'True',
  }
  const call = callOf(options)
  const { clock = systemClock } = options
  return {
    async write() {
      for (const { request } of wanted) await approveRequest(client, request, APPROVAL, { ...call, clock })
      if (isNew) await client.patch(ManagedCluster, { name }, { spec: { hubAcceptsClient: true } }, call)
      return acceptance
    },
  }
}

/** The agents' requests for a first certificate. The hub approves renewals itself. */
async function firstRequests(requests: readonly CertificateSigningRequest[]): Promise<FirstRequest[]> {
  const readings = await Promise.all(
    requests.map(async (request) => ({ request, reading: await readAgentRequest(request) })),
  )
  return readings.flatMap(({ request, reading }) =>
    'agent' in reading && request.spec.username !== reading.agent.user ? [{ request, agent: reading.agent }] : [],
  )
}

function isTrusted({ spec: { username = '' } }: CertificateSigningRequest, options: AcceptOptions): boolean {
  if (options.anyRequester === true || options.requesters?.includes(username) === true) return true
  return username.startsWith(BOOTSTRAP_TOKEN_PREFIX) || username === BOOTSTRAP_ACCOUNT_USER
}

/** Only an administrator knows which of several agents is the right one. */
function refuseSeveralAgents(cluster: string, asked: readonly FirstRequest[]): void {
  const agents = new Set(asked.map(({ agent }) => agent.user))
  if (agents.size < 2) return
  const rivals = asked.map(
    ({ request: { metadata, spec }, agent }) => `${metadata.name} (agent ${agent.agent}, sent by ${spec.username})`,
  )
  throw new OperationError(
    `${agents.size} agents request a certificate for cluster ${cluster}: ${rivals.join(', ')}. Find out which one is right, and ` +
      'approve its request with `kubectl certificate approve` or deny the others',
  )
}
