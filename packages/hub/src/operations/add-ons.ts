import {
  AddOnCondition,
  ClusterManagementAddOn,
  INSTALL_NAMESPACE_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
} from '@orrery/api'
import type { Condition } from '@orrery/kinds'
import { findCondition, isAlreadyExists, isDNS1123Label } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { itemsIfServed } from '../served-items.js'
import { addOnNotFound, clusterNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'

/** An add-on on a cluster. */
export interface AddOnOverview {
  readonly cluster: string
  readonly name: string
  /** The statuses of its conditions; undefined if a condition is missing. */
  readonly available: string | undefined
  readonly degraded: string | undefined
  readonly progressing: string | undefined
  /** The namespace of its agent on the cluster. */
  readonly namespace: string | undefined
  /** What is wrong; undefined if nothing is. */
  readonly problem: string | undefined
  readonly addOn: ManagedClusterAddOn
}

export interface AddOnFilter extends CallOptions {
  /** Default all clusters. */
  readonly clusters?: readonly string[] | undefined
  /** Default all add-ons. */
  readonly names?: readonly string[] | undefined
}

/** The add-ons of clusters, by cluster and name. Throws for clusters and add-ons that do not exist. */
export async function addOnOverviews(client: KubeClient, filter: AddOnFilter = {}): Promise<AddOnOverview[]> {
  const { clusters, names, ...call } = filter
  if (clusters !== undefined) await requireClusters(client, clusters, call)
  const lists = await Promise.all(
    (clusters ?? [undefined]).map((namespace) => itemsIfServed(client, ManagedClusterAddOn, { ...call, namespace })),
  )
  const all = lists.flat()
  const unknown = (names ?? []).filter((name) => !all.some(({ metadata }) => metadata.name === name))
  if (unknown.length > 0) await requireAddOns(client, unknown, call)
  const wanted = names === undefined ? all : all.filter(({ metadata }) => names.includes(metadata.name))
  const key = ({ cluster, name }: AddOnOverview) => `${cluster}/${name}`
  return wanted.map(overviewOf).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function overviewOf(addOn: ManagedClusterAddOn): AddOnOverview {
  const { metadata, status } = addOn
  const statusOf = (type: string) => findCondition(status?.conditions, type)?.status
  return {
    cluster: metadata.namespace,
    name: metadata.name,
    available: statusOf(AddOnCondition.Available),
    degraded: statusOf(AddOnCondition.Degraded),
    progressing: statusOf(AddOnCondition.Progressing),
    namespace: status?.namespace,
    problem: problemOf(addOn),
    addOn,
  }
}

/** The conditions that must be True, in the order in which the installation reaches them. */
const STEPS = [
  AddOnCondition.Configured,
  AddOnCondition.RegistrationApplied,
  AddOnCondition.TokenInfrastructureReady,
  AddOnCondition.CertificateRotated,
  AddOnCondition.TokenRefreshed,
  AddOnCondition.HostingClusterValidity,
  AddOnCondition.ManifestApplied,
  AddOnCondition.HostingManifestApplied,
  AddOnCondition.Available,
]

/**
 * The condition of the first step that has failed, also if an earlier state of the add-on is still available, or that the add-on is
 * degraded; undefined if there is none.
 */
export function failingCondition({ status }: ManagedClusterAddOn): Condition | undefined {
  const conditions = status?.conditions
  const failed = STEPS.map((type) => findCondition(conditions, type)).find(
    (condition) => condition !== undefined && condition.status !== 'True',
  )
  const degraded = findCondition(conditions, AddOnCondition.Degraded)
  return failed ?? (degraded?.status === 'True' ? degraded : undefined)
}

/** What is wrong with an add-on by its conditions; undefined if nothing is. */
export function problemOf(addOn: ManagedClusterAddOn): string | undefined {
  const { metadata, status } = addOn
  const conditions = status?.conditions
  const hook = findCondition(conditions, AddOnCondition.HookManifestCompleted)
  if (metadata.deletionTimestamp !== undefined) {
    return `is being deleted${hook?.status === 'False' ? `: ${textOf(hook)}` : ''}`
  }
  const failed = failingCondition(addOn)
  if (failed !== undefined) return textOf(failed)
  if (findCondition(conditions, AddOnCondition.Available) !== undefined) return undefined
  if (findCondition(conditions, AddOnCondition.RegistrationApplied) === undefined) {
    return 'no controller has registered it: is the controller of the add-on running on the hub?'
  }
  return 'it has not reported whether it is available yet'
}

function textOf({ type, status, reason, message = '' }: Condition): string {
  return `${type} is ${status}: ${reason}${message === '' ? '' : `: ${message}`}`
}

/** Which add-ons to enable, and where. */
export interface AddOnChoice extends CallOptions {
  readonly names: readonly string[]
  readonly clusters: readonly string[]
}

/** What happened to an add-on on a cluster. */
export interface AddOnChange {
  readonly cluster: string
  readonly name: string
  /** False if it was enabled or disabled before. */
  readonly isNew: boolean
}

/** Enables add-ons on clusters. The namespace of the agents defaults to that of the add-on. */
export async function enableAddOns(
  client: KubeClient,
  choice: AddOnChoice & { readonly installNamespace?: string | undefined },
): Promise<AddOnChange[]> {
  const { names, clusters, installNamespace, ...call } = choice
  const [problem] = installNamespace === undefined ? [] : isDNS1123Label(installNamespace)
  if (problem !== undefined) throw new OperationError(`${installNamespace} is not a valid namespace: ${problem}`)
  await requireClusters(client, clusters, call)
  await requireAddOns(client, names, call)
  const annotations = installNamespace === undefined ? {} : { [INSTALL_NAMESPACE_ANNOTATION]: installNamespace }
  return forEach(choice, async (cluster, name) => {
    try {
      await client.create(ManagedClusterAddOn, { metadata: { namespace: cluster, name, annotations }, spec: {} }, call)
      return true
    } catch (error) {
      if (isAlreadyExists(error)) return false
      throw error
    }
  })
}

/**
 * Disables add-ons on clusters. Throws for an add-on that is installed by placements: the hub would install it again. Returns when
 * the deletions have begun; pre-delete hooks may take longer.
 */
export async function disableAddOns(client: KubeClient, choice: AddOnChoice): Promise<AddOnChange[]> {
  const { names, clusters, ...call } = choice
  await requireClusters(client, clusters, call)
  for (const definition of await requireAddOns(client, names, call)) {
    const { type, placements = [] } = definition.spec.installStrategy ?? {}
    if (type !== 'Placements' || placements.length === 0) continue
    const placed = placements.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')
    throw new OperationError(
      `add-on ${definition.metadata.name} is installed on the clusters of placement ${placed}: change the placement, or the ` +
        'installStrategy of the ClusterManagementAddOn to Manual',
    )
  }
  return forEach(choice, async (namespace, name) => {
    if ((await client.find(ManagedClusterAddOn, { namespace, name }, call)) === undefined) return false
    await client.ensureDeleted(ManagedClusterAddOn, { namespace, name }, call)
    return true
  })
}

async function forEach(
  { names, clusters }: AddOnChoice,
  change: (cluster: string, name: string) => Promise<boolean>,
): Promise<AddOnChange[]> {
  const changes: AddOnChange[] = []
  for (const cluster of clusters) {
    for (const name of names) changes.push({ cluster, name, isNew: await change(cluster, name) })
  }
  return changes
}

async function requireClusters(client: KubeClient, names: readonly string[], call: CallOptions): Promise<void> {
  const found = await Promise.all(names.map((name) => client.find(ManagedCluster, { name }, call)))
  const unknown = names.filter((_, at) => found[at] === undefined)
  if (unknown.length > 0) throw new OperationError(clusterNotFound(...unknown))
}

/** The ClusterManagementAddOns of add-ons. Throws for add-ons that do not exist. */
export async function requireAddOns(
  client: KubeClient,
  names: readonly string[],
  call: CallOptions,
): Promise<ClusterManagementAddOn[]> {
  const found = await Promise.all(names.map((name) => client.find(ClusterManagementAddOn, { name }, call)))
  const unknown = names.filter((_, at) => found[at] === undefined)
  if (unknown.length > 0) throw new OperationError(addOnNotFound(...unknown))
  return found.flatMap((one) => one ?? [])
}
