import {
  CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  type RequestConditionType,
} from '@orrery/kinds/certificates'
import { formatTime, notFound } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { WriteOptions } from '../client/options.js'
import { type Clock, systemClock } from '../clock.js'
import { retryOnConflict } from '../write/retry.js'

/** Why a request is approved, denied or failed. */
export interface Decision {
  readonly reason: string
  readonly message: string
}

export interface DecisionOptions extends Omit<WriteOptions, 'subresource'> {
  /** Default: the system clock. */
  readonly clock?: Clock
}

/** Whether the request is neither approved, denied nor failed. */
export function isPending(request: CertificateSigningRequest): boolean {
  return !isApproved(request) && !isDenied(request) && !isFailed(request)
}

export function isApproved(request: CertificateSigningRequest): boolean {
  return isDecided(request, 'Approved') && !isDecided(request, 'Denied')
}

export function isDenied(request: CertificateSigningRequest): boolean {
  return isDecided(request, 'Denied')
}

export function isFailed(request: CertificateSigningRequest): boolean {
  return isDecided(request, 'Failed')
}

/** Approves the request. Sends nothing if it is approved already. */
export function approveRequest(
  client: KubeClient,
  request: CertificateSigningRequest,
  decision: Decision,
  options: DecisionOptions = {},
): Promise<CertificateSigningRequest> {
  return decide(client, request, 'Approved', decision, 'approval', options)
}

/** Denies the request. Sends nothing if it is denied already. */
export function denyRequest(
  client: KubeClient,
  request: CertificateSigningRequest,
  decision: Decision,
  options: DecisionOptions = {},
): Promise<CertificateSigningRequest> {
  return decide(client, request, 'Denied', decision, 'approval', options)
}

/** Marks the request as failed, as a signer. */
export function failRequest(
  client: KubeClient,
  request: CertificateSigningRequest,
  decision: Decision,
  options: DecisionOptions = {},
): Promise<CertificateSigningRequest> {
  return decide(client, request, 'Failed', decision, 'status', options)
}

/** Approvers may update but usually not patch, so the whole object is sent. */
async function decide(
  client: KubeClient,
  request: CertificateSigningRequest,
  type: RequestConditionType,
  decision: Decision,
  subresource: 'approval' | 'status',
  { clock = systemClock, ...options }: DecisionOptions,
): Promise<CertificateSigningRequest> {
  const { name, uid } = request.metadata
  const { group, plural: resource } = CertificateSigningRequest
  const call = options.signal === undefined ? {} : { signal: options.signal }
  return retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? request : await client.get(CertificateSigningRequest, { name }, call)
    if (current.metadata.uid !== uid) throw notFound({ group, resource }, name)
    if (isDecided(current, type)) return current
    const time = formatTime(clock.now())
    const condition: CertificateSigningRequestCondition = {
      type,
      status: 'True',
      reason: decision.reason,
      message: decision.message,
      lastUpdateTime: time,
      lastTransitionTime: time,
    }
    const conditions = [...(current.status?.conditions ?? []), condition]
    const decided = { ...current, status: { ...current.status, conditions } }
    return client.update(CertificateSigningRequest, decided, { ...options, subresource })
  })
}

function isDecided({ status }: CertificateSigningRequest, type: RequestConditionType): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status !== 'False') ?? false
}
