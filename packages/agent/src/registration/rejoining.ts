import { CLUSTER_UID_ANNOTATION, CLUSTER_VERSION_ANNOTATION, ManagedCluster } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { isBeingDeleted, KubeClient } from '@orrery/kube'
import { retryOnConflict } from '@orrery/kube/write'
import type { BootstrapHub } from './bootstrapping.js'
import { clusterDraft } from './cluster-draft.js'
import { isFromBefore } from './hub-versions.js'
import { FIELD_MANAGER, type RegistrationContext } from './registration-context.js'

/** How a hub refuses an agent. */
export interface Refusal {
  /** The version of the hub when it last heard of the agent. */
  readonly lastVersion: string | undefined
  /** Whether somebody has asked to join again. */
  readonly isAsked: boolean
  /** Whether it has done so for a while. */
  readonly isLasting: boolean
}

/**
 * Introduces the cluster again to a hub that refuses the agent, though its certificate is good there. Resolves with
 * `introduced` when the hub knows the cluster now: the agent needs a new certificate, as one is good only for the
 * ManagedCluster that it was issued for. `leaving` means that what is being deleted has to go first.
 *
 * That happens when the hub was restored from a backup made before the cluster came, and when somebody has detached the
 * cluster. Who was detached must not come back by itself: it does when the versions of the hub prove the former, or when
 * somebody has asked for it.
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
    // The certificate is for the cluster that is there: the hub may be about to give it its rights.
    if (found !== undefined && !isLasting && uidIn(secret) === found.metadata.uid) return 'waiting'
    const { resourceVersion: now } = await client.list(ManagedCluster, { limit: 1, signal })
    if (!isAsked && !isFromBefore({ made: versionIn(secret), last: lastVersion, now })) return 'unknown'
    // Nothing is known of when a cluster was made that somebody else has introduced.
    if (found === undefined) await createCluster(context, client, signal)
    else await keepVersion(context, '', signal)
    return 'introduced'
  } finally {
    client.close()
  }
}

/** Tells the hub of the cluster, and keeps at which version it took note. */
export async function createCluster(
  context: RegistrationContext,
  hub: KubeClient,
  signal: AbortSignal,
): Promise<ManagedCluster> {
  const draft = clusterDraft(context.options)
  const metadata = { ...draft.metadata, name: context.names.clusterName }
  // Should this end in between, what was true of another ManagedCluster must not be taken for true of the new one.
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
