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
import { clustersOf, isSilent, type PlacementView } from './placements.js'

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
  /** Why nobody is there to apply the work. The cluster gets it all the same, and counts. */
  readonly absence?: string
}

export type Members = ReadonlyMap<string, Member>

/** Knows what the works of clusters are made from. */
export interface SpecMaker {
  /** Throws a `ValueError`. */
  readonly specFor: (cluster: ManagedCluster | undefined) => ManifestWorkSpec
  /** The same as long as what is made for a cluster is the same. */
  readonly keyFor: (cluster: ManagedCluster | undefined) => string
}

/** What makes the members of a replica set. */
export interface MemberSources {
  readonly placements: readonly PlacementView[]
  readonly works: readonly ManifestWork[]
  /** Undefined when the template is no good. */
  readonly maker: SpecMaker | undefined
  readonly clusterNamed: (name: string) => ManagedCluster | undefined
}

/** The clusters that placements have decided for, and those that have a work for a placement that nothing is known of. */
export function membersOf({ placements, works, maker, clusterNamed }: MemberSources): Map<string, Member> {
  const worksOn = byCluster(works)
  const members = new Map<string, Member>()
  const add = (cluster: string, placement: string) => {
    if (members.has(cluster)) return
    const work = workToKeep(worksOn.get(cluster) ?? [], placement)
    members.set(cluster, { cluster, placement, work, ...contents(clusterNamed(cluster), work, maker) })
  }
  for (const view of placements) for (const cluster of clustersOf(view)) add(cluster, view.reference.name)
  const silent = new Set(placements.filter(isSilent).map(({ reference }) => reference.name))
  for (const { metadata } of works) {
    const placement = metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? ''
    if (silent.has(placement)) add(metadata.namespace, placement)
  }
  return members
}

/** The clusters that have works for a placement, or are to have them. */
export function clustersFor(view: PlacementView, members: Members): string[] {
  if (!isSilent(view)) return clustersOf(view)
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

/** What works are known to be made from. To compare all works of a large set each time one of them changes takes long. */
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
    const isUpdated = work !== undefined && isMadeFrom(work, spec)
    if (isUpdated) madeFrom.set(work, key)
    return { spec, isUpdated, ...absence }
  } catch (error) {
    if (error instanceof ValueError) return unable(error.message)
    throw error
  }
}

function absenceOf(cluster: ManagedCluster | undefined): string | undefined {
  if (cluster === undefined) return NO_CLUSTER
  return cluster.spec?.hubAcceptsClient === true ? undefined : 'the cluster is not let in'
}

const NO_CLUSTER = 'there is no such cluster'

/** The way to make the works of a replica set: all the same, or filled in. Throws a `TemplateError`. */
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
