import { CLUSTER_UID_ANNOTATION, CLUSTER_VERSION_ANNOTATION, ManagedCluster } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { isBeingDeleted, KubeClient } from '@orrery/kube'
import { retryOnConflict } from '@orrery/kube/write'
import type { BootstrapHub } from './bootstrapping.js'
import { clusterDraft } from './cluster-draft.js'
import { isFromBefore } from './hub-versions.js'
import { FIELD_MANAGER, type RegistrationContext } from './registration-context.js'

/** How a hub rejects an agent. */
export interface Refusal {
  /** The resource version of the lease when it was last renewed. */
  readonly lastVersion: string | undefined
  /** Whether the option `rejoin` asks to join again. */
  readonly isAsked: boolean
  /** Whether the hub has rejected the agent for a while. */
  readonly isLasting: boolean
}

/**
 * Registers the cluster again with a hub that authenticates the agent but does not know its cluster. Resolves with
 * `introduced` when the ManagedCluster exists: the agent needs a new certificate, since one is valid only for the
 * ManagedCluster that it was issued for. `leaving` means that the old ManagedCluster has to be deleted first.
 *
 * Two things lead to this: the hub was restored from a backup made before the cluster joined, or the cluster was
 * detached. A detached cluster must not rejoin by itself. It rejoins if the versions of the hub prove a restore, or
 * if the option `rejoin` asks for it.
 */
export async function rejoin(
  context: RegistrationContext,
  hub: BootstrapHub,
  { lastVersion, isAsked, isLasting }: Refusal,
  signal: AbortSignal,
): Promise<'introduced' | 'waiting' | 'unknown' | 'leaving'> {
  const { options, names, identityRef } = context
  const client = new KubeClient(options.connectHub(hub.config), { fieldManager: FIELD_MANAGER })
  try {
    const ref = { name: names.clusterName }
    const found = await client.find(ManagedCluster, ref, { signal })
    if (found !== undefined && isBeingDeleted(found)) return 'leaving'
    const secret = await options.spoke.find(Secret, identityRef, { signal })
    // The certificate is for this ManagedCluster: the hub may still be creating its permissions.
    if (found !== undefined && !isLasting && uidIn(secret) === found.metadata.uid) return 'waiting'
    const { resourceVersion: now } = await client.list(ManagedCluster, { limit: 1, signal })
    if (!isAsked && !isFromBefore({ made: versionIn(secret), last: lastVersion, now })) return 'unknown'
    // The creation version of a ManagedCluster that another user created is unknown.
    if (found === undefined) await createCluster(context, client, signal)
    else await keepVersion(context, '', signal)
    return 'introduced'
  } finally {
    client.close()
  }
}

/** Creates the ManagedCluster and stores the resource version of its creation. */
export async function createCluster(
  context: RegistrationContext,
  hub: KubeClient,
  signal: AbortSignal,
): Promise<ManagedCluster> {
  const draft = clusterDraft(context.options)
  const metadata = { ...draft.metadata, name: context.names.clusterName }
  // If the agent stops in between, the version of the old ManagedCluster must not be taken for that of the new one.
  await keepVersion(context, '', signal)
  const cluster = await hub.create(ManagedCluster, { ...draft, metadata }, { signal })
  await keepVersion(context, cluster.metadata.resourceVersion ?? '', signal)
  return cluster
}

async function keepVersion({ options, identityRef }: RegistrationContext, version: string, signal: AbortSignal) {
  const { spoke } = options
  await retryOnConflict(async () => {
    const secret = await spoke.find(Secret, identityRef, { signal })
    if (secret === undefined || versionIn(secret) === version) return
    const annotations = { ...secret.metadata.annotations, [CLUSTER_VERSION_ANNOTATION]: version }
    await spoke.update(Secret, { ...secret, metadata: { ...secret.metadata, annotations } }, { signal })
  })
}

function uidIn(secret: Secret | undefined): string | undefined {
  return secret?.metadata.annotations?.[CLUSTER_UID_ANNOTATION]
}

function versionIn(secret: Secret | undefined): string {
  return secret?.metadata.annotations?.[CLUSTER_VERSION_ANNOTATION] ?? ''
}
