import { ADDON_CREDENTIALS_LABEL, ADDON_NAME_LABEL, HubKubeconfigKey } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import type { Informer, KubeClient } from '@orrery/kube'
import { type SecretRef, secretText, writeSecret } from '@orrery/kube/credentials'

/** The owner of a Secret: the agent of an add-on of a cluster. */
export interface SecretOwner {
  readonly clusterName: string
  readonly addonName: string
}

/** The labels of a Secret that the cluster's agent keeps for an add-on. */
export function ownerLabels({ clusterName, addonName }: SecretOwner): Readonly<Record<string, string>> {
  return { [ADDON_CREDENTIALS_LABEL]: clusterName, [ADDON_NAME_LABEL]: addonName }
}

/** The selector of all Secrets that a cluster's agent keeps for add-ons. */
export function ownedBy(clusterName: string): string {
  return `${ADDON_CREDENTIALS_LABEL}=${clusterName}`
}

/** Whether a Secret exists and may be written, or why it may not. */
export type Claim =
  | { readonly type: 'absent' }
  | { readonly type: 'owned' }
  | { readonly type: 'refused'; readonly problem: string }

/**
 * Claims a Secret for an add-on. A hub chooses its namespace and most of its name, so a Secret that was not created for this add-on is
 * never written. One that Open Cluster Management's agent created for this cluster gets the labels of its owner.
 */
export async function claimSecret(
  store: KubeClient,
  secrets: Informer<Secret>,
  ref: SecretRef,
  owner: SecretOwner,
  signal: AbortSignal,
): Promise<Claim> {
  const known = secrets.get(ref)
  const secret = known ?? (await store.find(Secret, ref, { signal }))
  if (secret === undefined) return { type: 'absent' }
  const labels = secret.metadata.labels ?? {}
  const [cluster, addon] = [labels[ADDON_CREDENTIALS_LABEL], labels[ADDON_NAME_LABEL]]
  if (cluster === owner.clusterName && addon === owner.addonName) return { type: 'owned' }
  const name = `Secret "${ref.namespace}/${ref.name}"`
  if (cluster !== undefined && cluster !== owner.clusterName)
    return refused(`${name} has credentials for cluster "${cluster}": use another namespace`)
  if (cluster !== undefined && addon !== undefined)
    return refused(`${name} has credentials of add-on "${addon}": rename one of the add-ons`)
  if (cluster === undefined && !isAdoptable(secret, owner))
    return refused(`${name} exists and was not created for this add-on: delete or rename it`)
  await writeSecret(store, ref, {}, { labels: ownerLabels(owner), signal })
  return { type: 'owned' }
}

function refused(problem: string): Claim {
  return { type: 'refused', problem }
}

/** Open Cluster Management's agent writes the name of the cluster, and the name of the agent into its own Secret only. */
function isAdoptable(secret: Secret, { clusterName }: SecretOwner): boolean {
  if (Object.keys(secret.data ?? {}).length === 0) return true
  const { ClusterName, AgentName } = HubKubeconfigKey
  return secretText(secret, ClusterName) === clusterName && secret.data?.[AgentName] === undefined
}
