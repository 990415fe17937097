import type { KubeObject } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { parseCsr, signRequest } from '@orrery/kube/pki'
import { isBuiltInSigner, signerProblem } from '../pki/signers.js'
import { bucketOf } from '../registry/internal.js'
import { allKeys, type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { CSRS } from './resources.js'
import { type CsrSpec, type CsrStatus, conditionOf } from './signing-request.js'

const BUCKET = bucketOf(CSRS)

/** Issues certificates for approved requests to the built-in signers. */
export function certificateSigner(context: ControllerContext): Controller {
  const { client, clock, authority } = context
  return reconciler(context, {
    name: 'certificate-signer',
    wakes: { [BUCKET]: (change) => (change.type === 'DELETED' ? undefined : changedKey(change)) },
    first: () => allKeys(context.store, BUCKET),
    async reconcile(name) {
      const object = client.get(CSRS, '', name)
      if (object === undefined || !awaitsCertificate(object)) return
      const { signerName, request, usages = [], expirationSeconds } = object.spec as CsrSpec
      const csr = parseCsr(Buffer.from(request, 'base64').toString('utf8'))
      const problem = signerProblem(signerName, csr, usages)
      const outcome: Partial<CsrStatus> =
        problem === undefined
          ? { certificate: encode(signRequest({ csr, usages, expirationSeconds, authority, now: clock.now() })) }
          : { conditions: [...(statusOf(object).conditions ?? []), failure(problem, formatTime(clock.now()))] }
      await client.change(
        CSRS,
        '',
        name,
        (live) => (sameState(live, object) ? { ...live, status: { ...statusOf(live), ...outcome } } : live),
        'status',
      )
    },
  })
}

function statusOf(csr: KubeObject): CsrStatus {
  return (csr.status ?? {}) as CsrStatus
}

function awaitsCertificate(csr: KubeObject): boolean {
  const status = statusOf(csr)
  return (
    isBuiltInSigner((csr.spec as CsrSpec).signerName) &&
    (status.certificate ?? '') === '' &&
    conditionOf(status, 'Approved') !== undefined &&
    conditionOf(status, 'Denied') === undefined &&
    conditionOf(status, 'Failed') === undefined
  )
}

function sameState(live: KubeObject, seen: KubeObject): boolean {
  return live.metadata.resourceVersion === seen.metadata.resourceVersion
}

function failure(message: string, now: string) {
  const times = { lastUpdateTime: now, lastTransitionTime: now }
  return { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message, ...times }
}

function encode(pem: string): string {
  return Buffer.from(pem).toString('base64')
}
