import { WEBHOOK_SECRET } from '@orrery/api'
import { type Draft, Secret } from '@orrery/kinds'
import type { Informer, Informers } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { type KeyPair, keyPairOf, LastGood, type SelfSigned, type ServingCertificate } from '@orrery/kube/serving'

/** An informer of the Secret with the certificate that the replicas of a hub share. */
export function certificateSecrets(informers: Informers): Informer<Secret> {
  const { namespace, name } = WEBHOOK_SECRET
  return informers.of(Secret, { namespace, fieldSelector: `metadata.name=${name}` })
}

/** The certificate in the Secret that the replicas of a hub share, once one of them has issued it. */
export function certificateInSecret(secrets: Informer<Secret>, log = silentLogger): ServingCertificate {
  const lastGood = new LastGood(log, { ...WEBHOOK_SECRET })
  const unsubscribe = secrets.subscribe(({ after }) => {
    if (after === undefined) return
    const { cert, key, ca } = certificateIn(after)
    lastGood.take(() => keyPairOf(cert, key, ca))
  })
  return {
    get current(): KeyPair | undefined {
      return lastGood.pair
    },
    onChange: (use) => lastGood.onChange(use),
    // The informer notices every change.
    refresh: () => Promise.resolve(),
    close: unsubscribe,
  }
}

/** The certificate in a Secret. Keys that are missing are empty. */
export function certificateIn({ data = {} }: Secret): SelfSigned {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8')
  return { cert: text('tls.crt'), key: text('tls.key'), ca: text('ca.crt'), caKey: text('ca.key') }
}

/** A Secret with a certificate. */
export function secretOf({ cert, key, ca, caKey }: SelfSigned): Draft<Secret> & Pick<Secret, 'data'> {
  const data = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca, 'ca.key': caKey }
  return {
    metadata: { ...WEBHOOK_SECRET },
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
  }
}
