import {
  clusterStateOf,
  DRY_RUN_COMPLETE,
  type EmbeddedObject,
  ManagedCluster,
  ManagedClusterCondition,
  type ManifestChange,
  ManifestWorkDryRun,
  SEALING_KEY_ANNOTATION,
} from '@orrery/api'
import { type KubeObject, Secret } from '@orrery/kinds'
import { findCondition, isConditionTrue, isForbidden, isNotFound, type StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { awaiting, watchOne } from '@orrery/kube/informer'
import { clusterNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'
import { type RemovedObject, removedObjects } from './removed-objects.js'
import { sealForCluster } from './sealing.js'
import { partsOfWork } from './workparts.js'

/** The manifests of a dry run. */
export interface DryRunDraft {
  readonly manifests: readonly KubeObject[]
  /** The work that would have these manifests: its update strategies and executor count, if the cluster has it. Default none. */
  readonly work?: string
}

/**
 * Runs a server-side dry run of manifests on a cluster, and returns what would change. Values of Secrets are sealed, so that
 * the hub does not see them. Objects of the work that are not in the manifests are listed last. Rejects with an
 * `OperationError` if the cluster cannot answer.
 */
export async function dryRunOnCluster(
  client: KubeClient,
  cluster: string,
  { manifests, work }: DryRunDraft,
  signal: AbortSignal,
): Promise<(ManifestChange | RemovedObject)[]> {
  const joined = await joinedCluster(client, cluster, signal)
  const parts = work === undefined ? [] : await partsOfWork(client, cluster, work, { signal })
  const { manifestConfigs, executor } = parts[0]?.spec ?? {}
  const spec = {
    workload: { manifests: sealed(manifests as EmbeddedObject[], joined) },
    ...(manifestConfigs !== undefined && { manifestConfigs }),
    ...(executor !== undefined && { executor }),
  }
  const metadata = { namespace: cluster, generateName: 'plan-' }
  const request = await client.create(ManifestWorkDryRun, { metadata, spec } as never, { signal }).catch(explained)
  try {
    const changes = await awaiting(
      client,
      (informers, onChange) => {
        const now = watchOne(informers, ManifestWorkDryRun, request.metadata, onChange)
        return () => {
          const { conditions, changes = [] } = now()?.status ?? {}
          return isConditionTrue(conditions, DRY_RUN_COMPLETE) ? changes : undefined
        }
      },
      signal,
    )
    return [...changes, ...removedObjects(parts, changes)]
  } finally {
    // Also after an abort. The hub deletes dry runs that are left over.
    await client.ensureDeleted(ManifestWorkDryRun, request.metadata)
  }
}

/** The cluster, if its agent can answer; undefined for users who may not read clusters: they may still run dry runs. */
async function joinedCluster(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<ManagedCluster | undefined> {
  let cluster: ManagedCluster | undefined
  try {
    cluster = await client.find(ManagedCluster, { name }, { signal })
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
  if (cluster === undefined) {
    throw new OperationError(clusterNotFound(name))
  }
  const conditions = cluster.status?.conditions
  if (!clusterStateOf(cluster).isAccepted) {
    throw new OperationError(
      `cluster ${JSON.stringify(name)} is not accepted: run \`orrery accept --clusters ${name}\``,
    )
  }
  const available = findCondition(conditions, ManagedClusterCondition.Available)
  if (available?.status !== 'True') {
    const why = available === undefined ? 'its agent has not reported yet' : `${available.reason}: ${available.message}`
    throw new OperationError(`cluster ${JSON.stringify(name)} is not available: ${why}`)
  }
  return cluster
}

/** The manifests with the values of Secrets sealed. Only agents that publish a key answer dry runs. */
function sealed(manifests: readonly EmbeddedObject[], cluster: ManagedCluster | undefined): readonly EmbeddedObject[] {
  const isSecret = ({ apiVersion, kind }: EmbeddedObject) => apiVersion === Secret.version && kind === Secret.kind
  if (cluster === undefined) {
    if (!manifests.some(isSecret)) return manifests
    throw new OperationError(
      'the manifests have a Secret, which is sealed for the dry run: you need permission to get managedclusters on the hub',
    )
  }
  if (cluster.metadata.annotations?.[SEALING_KEY_ANNOTATION] === undefined) {
    throw new OperationError(
      `the agent of cluster ${JSON.stringify(cluster.metadata.name)} does not answer dry runs: they need Orrery's agent`,
    )
  }
  return sealForCluster(manifests as EmbeddedObject[], cluster)
}

function explained(error: StatusError): never {
  if (isNotFound(error) && (error.status.details?.name ?? '') === '') {
    throw new OperationError("the hub does not serve manifestworkdryruns.work.orrery.dev: dry runs need Orrery's hub")
  }
  throw error
}
