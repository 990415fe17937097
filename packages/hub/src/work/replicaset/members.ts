import {
  type ManagedCluster,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkSpec,
  REPLICA_SET_PLACEMENT_LABEL,
  TEMPLATING_ANNOTATION,
} from '@orrery/api'
import { isBeingDeleted } from '@orrery/kube'
import { compileTemplate, TemplateError, ValueError, valuesOf } from '../template/index.js'
import { isMadeFrom } from './child.js'
import { clustersOf, type PlacementView } from './placements.js'

/** A cluster that is to have a work of a replica set, and the work it has. */
export interface Member {
  readonly cluster: string
  /** The first placement that has decided for the cluster: the work is made for it, and goes at its pace. */
  readonly placement: string
  /** What the work is to be made from; undefined when that is not to be told, and rollouts pass the cluster over. */
  readonly spec: ManifestWorkSpec | undefined
  readonly work: ManifestWork | undefined
  /** Whether the work is made from the latest template. */
  readonly isUpdated: boolean
  /** Why the cluster cannot be given the latest template. */
  readonly problem?: string
}

export type Members = ReadonlyMap<string, Member>

/** What the work of a cluster is made from. Throws a `ValueError`. */
export type SpecMaker = (cluster: ManagedCluster) => ManifestWorkSpec

/** What makes the members of a replica set. */
export interface MemberSources {
  readonly placements: readonly PlacementView[]
  readonly works: readonly ManifestWork[]
  /** Makes the work of a cluster; undefined when the template is no good. */
  readonly specFor: SpecMaker | undefined
  readonly clusterNamed: (name: string) => ManagedCluster | undefined
}

/** The clusters that placements have decided for, and those that have a work for a placement that nothing is known of. */
export function membersOf({ placements, works, specFor, clusterNamed }: MemberSources): Map<string, Member> {
  const worksOn = byCluster(works)
  const members = new Map<string, Member>()
  const add = (cluster: string, placement: string) => {
    if (members.has(cluster)) return
    const work = workToKeep(worksOn.get(cluster) ?? [], placement)
    members.set(cluster, { cluster, placement, work, ...contents(clusterNamed(cluster), work, specFor) })
  }
  for (const view of placements) for (const cluster of clustersOf(view)) add(cluster, view.reference.name)
  const missing = new Set(placements.filter(({ state }) => state === 'missing').map(({ reference }) => reference.name))
  for (const { metadata } of works) {
    const placement = metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? ''
    if (missing.has(placement)) add(metadata.namespace, placement)
  }
  return members
}

/** The clusters that have works for a placement, or are to have them. */
export function clustersFor(view: PlacementView, members: Members): string[] {
  if (view.state !== 'missing') return clustersOf(view)
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

function contents(
  cluster: ManagedCluster | undefined,
  work: ManifestWork | undefined,
  specFor: SpecMaker | undefined,
): Pick<Member, 'spec' | 'isUpdated' | 'problem'> {
  const unable = (problem: string) => ({ spec: undefined, isUpdated: false, problem })
  if (cluster === undefined) return unable('there is no such cluster')
  if (isBeingDeleted(cluster)) return unable('the cluster is being detached')
  if (cluster.spec?.hubAcceptsClient !== true) return unable('the cluster is not let in')
  if (specFor === undefined) return { spec: undefined, isUpdated: false }
  try {
    const spec = specFor(cluster)
    return { spec, isUpdated: work !== undefined && isMadeFrom(work, spec) }
  } catch (error) {
    if (error instanceof ValueError) return unable(error.message)
    throw error
  }
}

/** The way to make the works of a replica set: all the same, or filled in. Throws a `TemplateError`. */
export function specMaker({ metadata, spec }: ManifestWorkReplicaSet): SpecMaker {
  const template = spec?.manifestWorkTemplate ?? {}
  const templating = metadata.annotations?.[TEMPLATING_ANNOTATION] ?? 'false'
  if (templating === 'false') return () => template
  if (templating !== 'true') {
    throw new TemplateError(
      `the annotation ${TEMPLATING_ANNOTATION} is ${JSON.stringify(templating)}, not true or false`,
    )
  }
  const render = compileTemplate(template)
  return (cluster) => render(valuesOf(cluster))
}

/** The work that stays when there are several: one that does not go, made for the placement, and the oldest of them. */
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
