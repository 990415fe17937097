import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@orrery/kinds/certificates'
import { formatTime } from '@orrery/kinds/values'
import { isApproved, isFailed } from '@orrery/kube/csr'
import { parseCsr, signRequest } from '@orrery/kube/pki'
import { isBuiltInSigner, signerProblem } from '../pki/signers.js'
import { bucketOf } from '../registry/internal.js'
import { allKeys, type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { CSRS } from './resources.js'

const BUCKET = bucketOf(CSRS)

/** Signs approved requests for the built-in signers (the CSR signer). */
export function certificateSigner(context: ControllerContext): Controller {
  const { client, clock, authority } = context
  const requestNamed = (name: string) => client.get(CSRS, '', name) as CertificateSigningRequest | undefined
  return reconciler(context, {
    name: 'certificate-signer',
    flowOf: (name) => requestNamed(name)?.spec.username ?? '',
    wakes: { [BUCKET]: (change) => (change.type === 'DELETED' ? undefined : changedKey(change)) },
    first: () => allKeys(context.store, BUCKET),
    async reconcile(name) {
      const object = requestNamed(name)
      if (object === undefined || !awaitsCertificate(object)) return
      const { signerName, request, usages = [], expirationSeconds } = object.spec
      const csr = parseCsr(Buffer.from(request, 'base64').toString('utf8'))
      const problem = signerProblem(signerName, csr, usages)
      const outcome: CertificateSigningRequest['status'] =
        problem === undefined
          ? { certificate: encode(signRequest({ csr, usages, expirationSeconds, authority, now: clock.now() })) }
          : { conditions: [...(object.status?.conditions ?? []), failure(problem, formatTime(clock.now()))] }
      await client.change(
        CSRS,
        '',
        name,
        (live) =>
          live.metadata.resourceVersion === object.metadata.resourceVersion
            ? { ...live, status: { ...object.status, ...outcome } }
            : live,
        'status',
      )
    },
  })
}

function awaitsCertificate(csr: CertificateSigningRequest): boolean {
  const hasCertificate = (csr.status?.certificate ?? '') !== ''
  return isBuiltInSigner(csr.spec.signerName) && !hasCertificate && isApproved(csr) && !isFailed(csr)
}

function failure(message: string, now: string): CertificateSigningRequestCondition {
  const times = { lastUpdateTime: now, lastTransitionTime: now }
  return { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message, ...times }
}

function encode(pem: string): string {
  return Buffer.from(pem).toString('base64')
}
