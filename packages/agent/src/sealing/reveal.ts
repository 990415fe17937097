import { isSealed, revealManifest } from '@orrery/kube/seal'
import type { Reveal } from '../work/context.js'
import { type SealingSecret, sealingKeysIn } from './sealing-secret.js'

/** Reveals, with the keys of the agent, what was sealed for its cluster. */
export function revealWith(sealing: SealingSecret, cluster: string): Reveal {
  return (manifest) => {
    if (!isSealed(manifest)) return manifest
    // That there is no key can only be told when the cluster was asked: until then it is worth another try.
    if (!sealing.secrets.synced) throw new Error('the keys of this cluster are not known yet')
    const keys = sealingKeysIn(sealing)
    return revealManifest(manifest, { cluster, privateKeys: keys === undefined ? [] : [keys.privateKey] })
  }
}
