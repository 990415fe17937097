import { Secret } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer } from '@orrery/kube'
import { type SecretRef, secretText } from '@orrery/kube/credentials'
import { generateSealingKeys, type SealingKeys } from '@orrery/kube/seal'
import type { SpokeContext } from '../context.js'

/** The name of the Secret with the sealing keys of this cluster. */
const SEALING_SECRET = 'orrery-sealing-key'

const PUBLIC_KEY = 'public'
const PRIVATE_KEY = 'private'

/** The Secret with the keys, and its informer. */
export interface SealingSecret {
  readonly secrets: Informer<Secret>
  readonly ref: SecretRef
}

/** The Secret of this agent. */
export function sealingSecretOf({ spokeInformers, agentNamespace: namespace }: SpokeContext): SealingSecret {
  const secrets = spokeInformers.of(Secret, { namespace, fieldSelector: `metadata.name=${SEALING_SECRET}` })
  return { secrets, ref: { namespace, name: SEALING_SECRET } }
}

/** The keys; undefined if there are none or the Secret has other content. */
export function sealingKeysIn({ secrets, ref }: SealingSecret): SealingKeys | undefined {
  const secret = secrets.get(ref)
  const publicKey = secretText(secret, PUBLIC_KEY)
  const privateKey = secretText(secret, PRIVATE_KEY)
  return publicKey === undefined || privateKey === undefined ? undefined : { publicKey, privateKey }
}

/**
 * Creates the keys once. Never writes an existing Secret, since new keys could not reveal values that were sealed
 * before. Delete the Secret to get new keys.
 */
export function sealingKeys(sealing: SealingSecret): ControllerSpec {
  const { secrets, ref } = sealing
  return {
    name: 'sealing-keys',
    wakes: [always(secrets, ref)],
    async reconcile(_, { client, log, signal }) {
      if (secrets.get(ref) !== undefined) {
        if (sealingKeysIn(sealing) !== undefined) return
        log.error('the Secret has no valid sealing keys: nothing can be sealed for this cluster until you delete it', {
          kind: Secret.kind,
          ...ref,
        })
        return
      }
      const { publicKey, privateKey } = generateSealingKeys()
      const data = { [PUBLIC_KEY]: encoded(publicKey), [PRIVATE_KEY]: encoded(privateKey) }
      try {
        await client.create(Secret, { metadata: { ...ref }, data }, { signal })
      } catch (error) {
        // Another process created them first.
        if (!isAlreadyExists(error)) throw error
      }
    },
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64')
}
