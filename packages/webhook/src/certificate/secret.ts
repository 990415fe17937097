import { WEBHOOK_SECRET } from '@orrery/api'
import { type Draft, type Informer, type Informers, silentLogger } from '@orrery/kube'
import { Secret } from '@orrery/kube/kinds'
import { type KeyPair, keyPairOf } from './key-pair.js'
import type { SelfMade } from './self-made.js'
import { LastGood, type ServingCertificate } from './serving-certificate.js'

/** What there is to see of the Secret that replicas of a hub share their certificate in. */
export function certificateSecrets(informers: Informers): Informer<Secret> {
  const { namespace, name } = WEBHOOK_SECRET
  return informers.of(Secret, { namespace, fieldSelector: `metadata.name=${name}` })
}

/** The certificate in the Secret that replicas of a hub share, as soon as one of them has made it. */
export function certificateInSecret(secrets: Informer<Secret>, log = silentLogger): ServingCertificate {
  const lastGood = new LastGood(log, { ...WEBHOOK_SECRET })
  const unsubscribe = secrets.subscribe(({ after }) => {
    if (after === undefined) return
    const { cert, key, ca } = selfMadeIn(after)
    lastGood.take(() => keyPairOf(cert, key, ca))
  })
  return {
    get current(): KeyPair | undefined {
      return lastGood.pair
    },
    onChange: (use) => lastGood.onChange(use),
    // A watch tells of every change.
    refresh: () => Promise.resolve(),
    close: unsubscribe,
  }
}

/** What a Secret holds. Whatever is missing is empty. */
export function selfMadeIn({ data = {} }: Secret): SelfMade {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8')
  return { cert: text('tls.crt'), key: text('tls.key'), ca: text('ca.crt'), caKey: text('ca.key') }
}

/** The Secret that holds a certificate. */
export function secretOf({ cert, key, ca, caKey }: SelfMade): Draft<Secret> & Pick<Secret, 'data'> {
  const data = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca, 'ca.key': caKey }
  return {
    metadata: { ...WEBHOOK_SECRET },
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
  }
}
