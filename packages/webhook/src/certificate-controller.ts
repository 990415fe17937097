import { WEBHOOK_SECRET } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { always, type ControllerSpec, type Informer, requeueAt } from '@orrery/kube'
import { nextRenewal, renewed, selfSigned } from '@orrery/kube/serving'
import { certificateIn, secretOf } from './certificate-secret.js'

/** The common name of the authority that issues the certificate. */
const COMMON_NAME = 'orrery-webhook'

/** Keeps a certificate for these host names in the Secret that the replicas of a hub share, and renews it in time. */
export function webhookCertificate(secrets: Informer<Secret>, names: readonly [string, ...string[]]): ControllerSpec {
  return {
    name: 'webhook-certificate',
    wakes: [always(secrets, WEBHOOK_SECRET)],
    async reconcile(ref, { client, clock, log, signal }) {
      const now = clock.now()
      const secret = secrets.get(ref)
      const held = secret && certificateIn(secret)
      const next = held === undefined ? selfSigned(COMMON_NAME, names, now) : renewed(held, COMMON_NAME, names, now)
      if (next === undefined) return requeueAt(nextRenewal(held as NonNullable<typeof held>))
      const draft = secretOf(next)
      // If another replica was faster, this fails and the next reconcile finds that certificate.
      if (secret === undefined) await client.create(Secret, draft, { signal })
      else await client.update(Secret, { ...secret, data: { ...secret.data, ...draft.data } }, { signal })
      log.info('webhook certificate issued', { names })
      return requeueAt(nextRenewal(next))
    },
  }
}
