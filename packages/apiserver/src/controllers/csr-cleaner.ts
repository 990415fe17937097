import type { CertificateSigningRequest, RequestConditionType } from '@orrery/kinds/certificates'
import { requeueAt } from '@orrery/kube/controller'
import { parseCertificatePem } from '@orrery/kube/pki'
import { bucketOf } from '../registry/internal.js'
import { allKeys, type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { CSRS } from './resources.js'

const BUCKET = bucketOf(CSRS)
const HOUR = 3_600_000
const SETTLED_LIFETIME = HOUR
const OPEN_LIFETIME = 24 * HOUR

/** Deletes CertificateSigningRequests that are no longer needed (the CSR cleaner). */
export function certificateCleaner(context: ControllerContext): Controller {
  const { client, clock } = context
  return reconciler(context, {
    name: 'certificate-cleaner',
    wakes: { [BUCKET]: (change) => (change.type === 'DELETED' ? undefined : changedKey(change)) },
    first: () => allKeys(context.store, BUCKET),
    async reconcile(name) {
      const csr = client.get(CSRS, '', name) as CertificateSigningRequest | undefined
      if (csr === undefined) return undefined
      const end = endOf(csr)
      if (end === undefined) return undefined
      if (end > clock.now().getTime()) return requeueAt(new Date(end))
      await client.delete(CSRS, '', name, { uid: csr.metadata.uid })
      return undefined
    },
  })
}

/** Returns when a request is no longer needed; undefined if its state does not determine it. */
function endOf({ metadata, status = {} }: CertificateSigningRequest): number | undefined {
  const decision = (wanted: RequestConditionType) =>
    status.conditions?.find((condition) => condition.type === wanted && condition.status !== 'False')
  const since = (type: RequestConditionType) => Date.parse(decision(type)?.lastUpdateTime ?? '')
  const issued = (status.certificate ?? '') !== ''
  const ends = [
    since('Denied') + SETTLED_LIFETIME,
    since('Failed') + SETTLED_LIFETIME,
    since('Approved') + (issued ? SETTLED_LIFETIME : OPEN_LIFETIME),
  ].filter((end) => !Number.isNaN(end))
  if ((status.conditions ?? []).length === 0) ends.push(Date.parse(metadata.creationTimestamp) + OPEN_LIFETIME)
  if (issued) ends.push(expiryOf(status.certificate ?? ''))
  const end = Math.min(...ends)
  return Number.isFinite(end) ? end : undefined
}

/** Another signer can write anything: an unreadable certificate does not expire. */
function expiryOf(certificate: string): number {
  try {
    return parseCertificatePem(Buffer.from(certificate, 'base64').toString('utf8')).notAfter.getTime()
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
