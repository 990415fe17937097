import { isSealed, revealManifest } from '@orrery/kube/seal'
import type { Reveal } from '../work/context.js'
import { type SealingSecret, sealingKeysIn } from './sealing-secret.js'

/** Reveals values that were sealed for this cluster, with the agent's keys. */
export function revealWith(sealing: SealingSecret, cluster: string): Reveal {
  return (manifest) => {
    if (!isSealed(manifest)) return manifest
    // Until the informer has synced, a missing key is not final: the caller retries.
    if (!sealing.secrets.synced) throw new Error('the sealing keys of this cluster have not been read yet')
    const keys = sealingKeysIn(sealing)
    return revealManifest(manifest, { cluster, privateKeys: keys === undefined ? [] : [keys.privateKey] })
  }
}
