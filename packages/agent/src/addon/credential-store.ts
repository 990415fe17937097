import { ADDON_NAME_LABEL } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import type { Informer, Informers, KubeClient } from '@orrery/kube'
import type { SecretRef } from '@orrery/kube/credentials'
import { ownedBy } from './secret-claim.js'

const BY_ADDON = 'addon'

/** A cluster that add-ons run on, with the Secrets that this agent keeps there for them. */
export class CredentialStore {
  readonly client: KubeClient
  readonly secrets: Informer<Secret>

  constructor(informers: Informers, clusterName: string) {
    this.client = informers.client
    // One watch for the Secrets of all add-ons.
    this.secrets = informers.of(Secret, { labelSelector: ownedBy(clusterName) })
    this.secrets.addIndex(BY_ADDON, (secret) => [addonOf(secret)])
  }

  /** Deletes all Secrets of an add-on but these. */
  async deleteObsolete(addonName: string, needed: readonly SecretRef[], signal: AbortSignal): Promise<void> {
    for (const { metadata } of this.secrets.byIndex(BY_ADDON, addonName)) {
      if (needed.some(({ namespace, name }) => namespace === metadata.namespace && name === metadata.name)) continue
      await this.client.ensureDeleted(Secret, metadata, { preconditions: { uid: metadata.uid }, signal })
    }
  }
}

/** The add-on of a Secret with credentials. */
export function addonOf({ metadata }: Secret): string {
  return metadata.labels?.[ADDON_NAME_LABEL] ?? ''
}
