import { CLUSTER_VERSION_ANNOTATION, ManagedCluster } from '@orrery/api'
import { isBeingDeleted, KubeClient, retryOnConflict } from '@orrery/kube'
import { Secret } from '@orrery/kube/kinds'
import type { BootstrapHub } from './bootstrapping.js'
import { isFromBefore } from './hubversions.js'
import { introductionOf } from './introduction.js'
import { FIELD_MANAGER, type RegistrationContext } from './registrationcontext.js'

/**
 * Introduces the cluster again to a hub that has forgotten it, though the agent's certificate is good there. Resolves with
 * whether the hub knows it now, or is about to forget it: what is being deleted has to go first.
 *
 * That happens when the hub was restored from a backup made before the cluster came, and when somebody has detached the
 * cluster. Who was detached must not come back by itself: it does when the versions of the hub prove the former, or when
 * somebody has asked for it.
 */
export async function rejoin(
  context: RegistrationContext,
  hub: BootstrapHub,
  { lastVersion, isAsked }: { readonly lastVersion: string | undefined; readonly isAsked: boolean },
  signal: AbortSignal,
): Promise<'known' | 'unknown' | 'leaving'> {
  const { options, names, identityRef } = context
  const client = new KubeClient(options.connectHub(hub.config), { fieldManager: FIELD_MANAGER })
  try {
    const ref = { name: names.clusterName }
    const found = await client.find(ManagedCluster, ref, { signal })
    if (found !== undefined && isBeingDeleted(found)) return 'leaving'
    if (found !== undefined) {
      // Not the one that the agent has introduced: nothing is known of when it was made.
      await keepVersion(context, '', signal)
      return 'known'
    }
    const { resourceVersion: now } = await client.list(ManagedCluster, { limit: 1, signal })
    const secret = await options.spoke.find(Secret, identityRef, { signal })
    if (!isAsked && !isFromBefore({ made: versionIn(secret), last: lastVersion, now })) return 'unknown'
    await introduce(context, client, signal)
    return 'known'
  } finally {
    client.close()
  }
}

/** Tells the hub of the cluster, and keeps at which version it took note. */
export async function introduce(
  context: RegistrationContext,
  hub: KubeClient,
  signal: AbortSignal,
): Promise<ManagedCluster> {
  const introduction = introductionOf(context.options)
  const metadata = { ...introduction.metadata, name: context.names.clusterName }
  // Should this end in between, what was true of another ManagedCluster must not be taken for true of the new one.
  await keepVersion(context, '', signal)
  const cluster = await hub.create(ManagedCluster, { ...introduction, metadata }, { signal })
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

function versionIn(secret: Secret | undefined): string {
  return secret?.metadata.annotations?.[CLUSTER_VERSION_ANNOTATION] ?? ''
}
