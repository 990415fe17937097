import { jsonEqual } from '@orrery/kinds/values'
import { ManifestWork, type NewManifestWork } from './manifest-work.js'
import { identity } from './split.js'

/** The steps that change the parts of a work without deleting objects that move between parts. */
export interface PartChanges {
  /** Write these first. */
  readonly first: readonly NewManifestWork[]
  /** Write these when all of `first` are applied. The objects that they lose are then in other parts. */
  readonly afterwards: readonly NewManifestWork[]
  /** Delete these when all of `first` are applied. */
  readonly removed: readonly ManifestWork[]
}

/** Computes the changes from the current to the desired parts. Parts without changes are omitted. */
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
