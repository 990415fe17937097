import { WEBHOOK_SECRET } from '@orrery/api'
import { always, type ControllerSpec, type Informer, requeueAt } from '@orrery/kube'
import { Secret } from '@orrery/kube/kinds'
import { secretOf, selfMadeIn } from './secret.js'
import { makeCertificate, nextRenewal, renewCertificate } from './self-made.js'

/** Keeps a certificate for these names in the Secret that replicas of a hub share, and renews it in time. */
export function webhookCertificate(secrets: Informer<Secret>, names: readonly [string, ...string[]]): ControllerSpec {
  return {
    name: 'webhook-certificate',
    wakes: [always(secrets, WEBHOOK_SECRET)],
    async reconcile(ref, { client, clock, log, signal }) {
      const now = clock.now()
      const secret = secrets.get(ref)
      const held = secret && selfMadeIn(secret)
      const next = held === undefined ? makeCertificate(names, now) : renewCertificate(held, names, now)
      if (next === undefined) return requeueAt(nextRenewal(held as NonNullable<typeof held>))
      const draft = secretOf(next)
      // Whoever was faster has made one that is as good: the next look finds it.
      if (secret === undefined) await client.create(Secret, draft, { signal })
      else await client.update(Secret, { ...secret, data: { ...secret.data, ...draft.data } }, { signal })
      log.info('the webhooks have a new certificate', { names })
      return requeueAt(nextRenewal(next))
    },
  }
}
