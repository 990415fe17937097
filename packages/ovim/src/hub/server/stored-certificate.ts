import { Secret } from '@orrery/kinds'
import { isAlreadyExists, isConflict, type KubeClient } from '@orrery/kube'
import { renewed, type SelfSigned, selfSigned } from '@orrery/kube/serving'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'

/** The Secret with the certificate of the hub service. Replicas share it, and agents that trust it still do after a restart. */
export const CERTIFICATE_SECRET = { namespace: SYSTEM_NAMESPACE, name: 'ovim-hub-serving' }

const COMMON_NAME = 'ovim-hub'
const KEYS = { 'tls.crt': 'cert', 'tls.key': 'key', 'ca.crt': 'ca', 'ca.key': 'caKey' } as const

/** The certificate in the Secret, issued or renewed if needed. */
export async function storedCertificate(
  client: KubeClient,
  names: readonly [string, ...string[]],
  now: Date,
): Promise<SelfSigned> {
  const secret = await client.find(Secret, CERTIFICATE_SECRET)
  const held = secret && certificateIn(secret)
  const next = held === undefined ? selfSigned(COMMON_NAME, names, now) : renewed(held, COMMON_NAME, names, now)
  if (next === undefined) return held as SelfSigned
  const data = Object.fromEntries(
    Object.entries(KEYS).map(([key, member]) => [key, Buffer.from(next[member]).toString('base64')]),
  )
  try {
    if (secret === undefined)
      await client.create(Secret, { metadata: CERTIFICATE_SECRET, type: 'kubernetes.io/tls', data })
    else await client.update(Secret, { ...secret, data: { ...secret.data, ...data } })
  } catch (error) {
    // Another replica was faster: its certificate is as good.
    if (!isAlreadyExists(error) && !isConflict(error)) throw error
    return certificateIn(await client.get(Secret, CERTIFICATE_SECRET))
  }
  return next
}

/** Keys that are missing are empty: such a certificate is replaced. */
function certificateIn({ data = {} }: Secret): SelfSigned {
  const text = (key: keyof typeof KEYS) => Buffer.from(data[key] ?? '', 'base64').toString('utf8')
  return { cert: text('tls.crt'), key: text('tls.key'), ca: text('ca.crt'), caKey: text('ca.key') }
}
