import {
  clusterStateOf,
  type ManagedCluster,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkSpec,
  REPLICA_SET_PLACEMENT_LABEL,
  TEMPLATING_ANNOTATION,
} from '@orrery/api'
import { isBeingDeleted } from '@orrery/kube'
import { hasDecisions, selectedClusters } from '../../placement/index.js'
import { compileTemplate, TemplateError, ValueError, valuesOf } from '../template/index.js'
import { hasSpec } from './child.js'
import type { ReferencedPlacement } from './referenced-placement.js'

/** A cluster that should have a work of a replica set, and the work that it has. */
export interface Member {
  readonly cluster: string
  /** The first placement that selects the cluster. Its rollout strategy applies to the work. */
  readonly placement: string
  /** The spec that the work should have; undefined if it is not known: then rollouts skip the cluster. */
  readonly spec: ManifestWorkSpec | undefined
  readonly work: ManifestWork | undefined
  /** Whether the work has the spec of the latest template. */
  readonly isUpdated: boolean
  /** Why the work cannot be written. */
  readonly problem?: string
  /** Why no agent applies the work. It is written all the same, and the cluster counts. */
  readonly absence?: string
}

export type Members = ReadonlyMap<string, Member>

/** Renders the spec of a work for each cluster. */
export interface SpecMaker {
  /** Throws a `ValueError`. */
  readonly specFor: (cluster: ManagedCluster | undefined) => ManifestWorkSpec
  /** A key that changes whenever the spec for the cluster can change. */
  readonly keyFor: (cluster: ManagedCluster | undefined) => string
}

/** What the members of a replica set are found from. */
export interface MemberSources {
  readonly placements: readonly ReferencedPlacement[]
  readonly works: readonly ManifestWork[]
  /** Undefined if the template is not valid. */
  readonly maker: SpecMaker | undefined
  readonly clusterNamed: (name: string) => ManagedCluster | undefined
}

/** The clusters that placements select, and those with a work of a placement that has no decisions now. */
export function membersOf({ placements, works, maker, clusterNamed }: MemberSources): Map<string, Member> {
  const worksOn = byCluster(works)
  const members = new Map<string, Member>()
  const add = (cluster: string, placement: string) => {
    if (members.has(cluster)) return
    const work = workToKeep(worksOn.get(cluster) ?? [], placement)
    members.set(cluster, { cluster, placement, work, ...contents(clusterNamed(cluster), work, maker) })
  }
  for (const view of placements) for (const cluster of selectedClusters(view)) add(cluster, view.reference.name)
  const undecided = new Set(placements.filter((view) => !hasDecisions(view)).map(({ reference }) => reference.name))
  for (const { metadata } of works) {
    const placement = metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? ''
    if (undecided.has(placement)) add(metadata.namespace, placement)
  }
  return members
}

/** The clusters that have works of a placement, or should have them. */
export function clustersFor(view: ReferencedPlacement, members: Members): string[] {
  if (hasDecisions(view)) return selectedClusters(view)
  return [...members.values()]
    .filter(({ placement }) => placement === view.reference.name)
    .map(({ cluster }) => cluster)
}

function byCluster(works: readonly ManifestWork[]): Map<string, ManifestWork[]> {
  const groups = new Map<string, ManifestWork[]>()
  for (const work of works) {
    const known = groups.get(work.metadata.namespace)
    if (known === undefined) groups.set(work.metadata.namespace, [work])
    else known.push(work)
  }
  return groups
}

/** The key that a work was found to match. To compare all works of a large set each time one of them changes takes long. */
const madeFrom = new WeakMap<ManifestWork, string>()

function contents(
  cluster: ManagedCluster | undefined,
  work: ManifestWork | undefined,
  maker: SpecMaker | undefined,
): Pick<Member, 'spec' | 'isUpdated' | 'problem' | 'absence'> {
  const unable = (problem: string) => ({ spec: undefined, isUpdated: false, problem })
  if (cluster !== undefined && isBeingDeleted(cluster)) return unable('the cluster is being detached')
  if (maker === undefined) return { spec: undefined, isUpdated: false }
  const reason = absenceOf(cluster)
  const absence = reason !== undefined && { absence: reason }
  const key = maker.keyFor(cluster)
  if (work !== undefined && madeFrom.get(work) === key) return { spec: work.spec ?? {}, isUpdated: true, ...absence }
  try {
    const spec = maker.specFor(cluster)
    const isUpdated = work !== undefined && hasSpec(work, spec)
    if (isUpdated) madeFrom.set(work, key)
    return { spec, isUpdated, ...absence }
  } catch (error) {
    if (error instanceof ValueError) return unable(error.message)
    throw error
  }
}

function absenceOf(cluster: ManagedCluster | undefined): string | undefined {
  if (cluster === undefined) return NO_CLUSTER
  return clusterStateOf(cluster).isAccepted ? undefined : 'the cluster is not accepted'
}

const NO_CLUSTER = 'the cluster does not exist'

/** Renders the works of a replica set: the same spec for all, or a template. Throws a `TemplateError`. */
export function specMaker({ metadata, spec }: ManifestWorkReplicaSet): SpecMaker {
  const template = spec?.manifestWorkTemplate ?? {}
  const templating = metadata.annotations?.[TEMPLATING_ANNOTATION] ?? 'false'
  const key = `${metadata.uid} ${metadata.generation} ${templating}`
  if (templating === 'false') return { specFor: () => template, keyFor: () => key }
  if (templating !== 'true') {
    throw new TemplateError(
      `the annotation ${TEMPLATING_ANNOTATION} is ${JSON.stringify(templating)}, not true or false`,
    )
  }
  const render = compileTemplate(template)
  return {
    specFor(cluster) {
      if (cluster === undefined) throw new ValueError(NO_CLUSTER)
      return render(valuesOf(cluster))
    },
    keyFor: (cluster) => `${key} ${cluster?.metadata.uid} ${cluster?.metadata.resourceVersion}`,
  }
}

/** The work to keep if a cluster has several: not being deleted, of the placement, and the oldest of them. */
function workToKeep(works: readonly ManifestWork[], placement: string): ManifestWork | undefined {
  const rank = (work: ManifestWork) =>
    (isBeingDeleted(work) ? 2 : 0) + (work.metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] === placement ? 0 : 1)
  return [...works].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  )[0]
}
