import type { EmbeddedObject } from '../schema/index.js'
import { applyRank } from './apply-order.js'
import type { ManifestWork, NewManifestWork } from './manifest-work.js'
import { PART_ANNOTATION, PART_OF_LABEL } from './names.js'
import { partName, partNumber, partOfValue } from './parts.js'
import { MANIFEST_COUNT_LIMIT, MANIFEST_LIMIT, manifestSize } from './size.js'

export interface SplitOptions {
  /** The size limit of the manifests of one work. Default: the default limit of hubs. */
  readonly limit?: number
  /** The maximum number of manifests of one work. Default: the number that fits into its status. */
  readonly most?: number
  /** The existing parts. Manifests stay in their part if possible. */
  readonly current?: readonly ManifestWork[]
}

/**
 * Splits a work that exceeds the limits into `name`, `name-2` and so on, connected by PART_OF_LABEL. A work within the
 * limits is returned unchanged. Namespaces, CRDs and other dependencies are in the first parts. Manifests stay in
 * their existing part while it has room: a move can delete and recreate the object, so write changes in the order of
 * `partChanges`. Throws a `RangeError` for a manifest that exceeds the limit alone.
 */
export function splitWork(work: NewManifestWork, options: SplitOptions = {}): NewManifestWork[] {
  const { limit = MANIFEST_LIMIT, most = MANIFEST_COUNT_LIMIT, current = [] } = options
  const items = (work.spec?.workload?.manifests ?? []).map((manifest, index) => ({
    manifest,
    index,
    size: manifestSize(manifest),
  }))
  for (const item of items) if (item.size > limit) throw tooLarge(item, limit)
  const freeSpace: FreeSpace = { bytes: limit, manifests: most }
  const fits = items.length <= most && items.reduce((sum, { size }) => sum + size, 0) <= limit
  const wasSplit = current.some(({ metadata }) => metadata.labels?.[PART_OF_LABEL] !== undefined)
  if (fits && !wasSplit) return [work]
  const places = fits ? new Map<string, number>() : placesIn(work.metadata.name ?? '', current)
  const bins = fill(items, freeSpace, places)
  return bins.map((bin) => partOf(work, bin, bins.length))
}

interface Item {
  readonly manifest: EmbeddedObject
  readonly index: number
  readonly size: number
}

/** The limits of one part. */
interface FreeSpace {
  readonly bytes: number
  readonly manifests: number
}

/** A part under construction. */
interface Bin {
  number: number
  readonly items: Item[]
  size: number
  /** Whether an existing manifest no longer fits. Then no other manifest is added. */
  hasLost: boolean
}

function fill(items: readonly Item[], freeSpace: FreeSpace, places: ReadonlyMap<string, number>): Bin[] {
  const bins = new Map<number, Bin>()
  const binNumbered = (number: number) => {
    const bin = bins.get(number) ?? { number, items: [], size: 0, hasLost: false }
    bins.set(number, bin)
    return bin
  }
  const fits = (bin: Bin, item: Item) =>
    bin.items.length < freeSpace.manifests && bin.size + item.size <= freeSpace.bytes
  const put = (item: Item, bin: Bin) => {
    bin.items.push(item)
    bin.size += item.size
  }
  const homeless: Item[] = []
  for (const item of items.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index)) {
    const place = places.get(identity(item.manifest))
    const bin = place === undefined ? undefined : binNumbered(place)
    if (bin !== undefined && fits(bin, item)) put(item, bin)
    else {
      if (bin !== undefined) bin.hasLost = true
      homeless.push(item)
    }
  }
  // New parts are filled in order, so that dependencies are in the first parts.
  const candidates = () => byNumber(bins).slice(places.size > 0 ? 0 : -1)
  for (const item of homeless) {
    const bin = candidates().find((one) => !one.hasLost && fits(one, item))
    put(item, bin ?? binNumbered(Math.max(0, ...bins.keys()) + 1))
  }
  return withFirst(byNumber(bins).filter((bin) => bin.items.length > 0))
}

function byNumber(bins: ReadonlyMap<number, Bin>): Bin[] {
  return [...bins.values()].sort((a, b) => a.number - b.number)
}

/** Numbers the first part 1: it has the name of the whole. */
function withFirst(bins: Bin[]): Bin[] {
  const [first] = bins
  if (first !== undefined) first.number = 1
  return bins
}

function partOf(work: NewManifestWork, { number, items }: Bin, count: number): NewManifestWork {
  const name = work.metadata.name ?? ''
  const manifests = items.toSorted((a, b) => a.index - b.index).map(({ manifest }) => manifest)
  return {
    ...work,
    metadata: {
      ...work.metadata,
      name: partName(name, number),
      labels: { ...work.metadata.labels, [PART_OF_LABEL]: partOfValue(name) },
      annotations: { ...work.metadata.annotations, [PART_ANNOTATION]: `${number}/${count}` },
    },
    spec: { ...work.spec, workload: { ...work.spec?.workload, manifests } },
  }
}

/** The number of the existing part of each manifest. */
function placesIn(work: string, parts: readonly ManifestWork[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const { metadata, spec } of parts) {
    const number = partNumber(work, metadata.name)
    if (number === undefined) continue
    for (const manifest of spec?.workload?.manifests ?? []) places.set(identity(manifest), number)
  }
  return places
}

/** A key that is equal for manifests of the same object, regardless of the API version. */
export function identity({ apiVersion, kind, metadata = {} }: EmbeddedObject): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  return JSON.stringify([group, kind, metadata.namespace ?? '', metadata.name ?? ''])
}

function rank({ manifest }: Item): number {
  return applyRank(manifest.kind)
}

function tooLarge({ manifest: { kind, metadata = {} }, index, size }: Item, limit: number): RangeError {
  const where = `manifest ${index}, ${kind} ${[metadata.namespace, metadata.name].filter(Boolean).join('/')}`
  return new RangeError(`${where}, takes ${size} bytes: no more than ${limit} fit into one work`)
}
