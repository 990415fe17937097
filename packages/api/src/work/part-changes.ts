import { jsonEqual } from '@orrery/kube'
import { ManifestWork, type NewManifestWork } from './manifest-work.js'
import { identity } from './split.js'

/** How to get from the parts of a work that are there to others, without deleting what only moves from one to another. */
export interface PartChanges {
  /** To be written first. */
  readonly first: readonly NewManifestWork[]
  /** To be written when all of `first` is applied: what they lose, others have by then. */
  readonly afterwards: readonly NewManifestWork[]
  /** To be deleted when all of `first` is applied. */
  readonly removed: readonly ManifestWork[]
}

/** What has to change for the parts to be as wanted. Parts that are so already are left out. */
export function partChanges(current: readonly ManifestWork[], wanted: readonly NewManifestWork[]): PartChanges {
  const known = new Map(current.map((work) => [work.metadata.name, work]))
  const names = new Set(wanted.map(({ metadata }) => metadata.name))
  const stays = new Set(wanted.flatMap(identitiesIn))
  const changed = wanted.filter((work) => !isAsWanted(known.get(work.metadata.name ?? ''), work))
  const losesToOthers = (work: NewManifestWork) => {
    const kept = new Set(identitiesIn(work))
    const before = known.get(work.metadata.name ?? '')
    return before !== undefined && identitiesIn(before).some((one) => !kept.has(one) && stays.has(one))
  }
  return {
    first: changed.filter((work) => !losesToOthers(work)),
    afterwards: changed.filter(losesToOthers),
    removed: current.filter(({ metadata }) => !names.has(metadata.name)),
  }
}

function identitiesIn({ spec }: Pick<NewManifestWork, 'spec'>): string[] {
  return (spec?.workload?.manifests ?? []).map(identity)
}

function isAsWanted(current: ManifestWork | undefined, wanted: NewManifestWork): boolean {
  if (current === undefined || !jsonEqual(current.spec, ManifestWork.complete(wanted).spec)) return false
  const { metadata } = wanted
  const { labels = {}, annotations = {} } = current.metadata
  const has = (known: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) =>
    Object.entries(more).every(([key, value]) => known[key] === value)
  return has(labels, metadata.labels) && has(annotations, metadata.annotations)
}
