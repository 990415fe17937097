import type { EmbeddedObject } from '../schema/index.js'
import { applyRank } from './apply-order.js'
import type { ManifestWork, NewManifestWork } from './manifest-work.js'
import { PART_ANNOTATION, PART_OF_LABEL } from './names.js'
import { partName, partNumber, partOfValue } from './parts.js'
import { MANIFEST_COUNT_LIMIT, MANIFEST_LIMIT, manifestSize } from './size.js'

export interface SplitOptions {
  /** How many bytes the manifests of one work may take. Default what hubs take unless told otherwise. */
  readonly limit?: number
  /** How many manifests one work may have. Default as many as its status has room for. */
  readonly most?: number
  /** The parts that are there already. Manifests stay where they are if they can. */
  readonly current?: readonly ManifestWork[]
}

/**
 * Works that fit, for one that may not: `name`, `name-2`, and so on, tied together by PART_OF_LABEL. What fits is left as
 * it is. What others need, such as namespaces and definitions, is in the first parts. When there are parts already, each
 * manifest stays in its own as long as that has room: to move one is to risk that it is deleted and made again, so changes
 * are to be made in the order that `partChanges` gives. Throws a `RangeError` for a manifest that fits into no work.
 */
export function splitWork(work: NewManifestWork, options: SplitOptions = {}): NewManifestWork[] {
  const { limit = MANIFEST_LIMIT, most = MANIFEST_COUNT_LIMIT, current = [] } = options
  const items = (work.spec?.workload?.manifests ?? []).map((manifest, index) => ({
    manifest,
    index,
    size: manifestSize(manifest),
  }))
  for (const item of items) if (item.size > limit) throw tooLarge(item, limit)
  const room: Room = { bytes: limit, manifests: most }
  const fits = items.length <= most && items.reduce((sum, { size }) => sum + size, 0) <= limit
  const wasSplit = current.some(({ metadata }) => metadata.labels?.[PART_OF_LABEL] !== undefined)
  if (fits && !wasSplit) return [work]
  const places = fits ? new Map<string, number>() : placesIn(work.metadata.name ?? '', current)
  const bins = fill(items, room, places)
  return bins.map((bin) => partOf(work, bin, bins.length))
}

interface Item {
  readonly manifest: EmbeddedObject
  readonly index: number
  readonly size: number
}

/** What a part has room for. */
interface Room {
  readonly bytes: number
  readonly manifests: number
}

/** A part that is being filled. */
interface Bin {
  number: number
  readonly items: Item[]
  size: number
  /** Whether something that was there has no room any more: then nothing comes instead. */
  hasLost: boolean
}

function fill(items: readonly Item[], room: Room, places: ReadonlyMap<string, number>): Bin[] {
  const bins = new Map<number, Bin>()
  const binNumbered = (number: number) => {
    const bin = bins.get(number) ?? { number, items: [], size: 0, hasLost: false }
    bins.set(number, bin)
    return bin
  }
  const hasRoom = (bin: Bin, item: Item) => bin.items.length < room.manifests && bin.size + item.size <= room.bytes
  const put = (item: Item, bin: Bin) => {
    bin.items.push(item)
    bin.size += item.size
  }
  const homeless: Item[] = []
  for (const item of items.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index)) {
    const place = places.get(identity(item.manifest))
    const bin = place === undefined ? undefined : binNumbered(place)
    if (bin !== undefined && hasRoom(bin, item)) put(item, bin)
    else {
      if (bin !== undefined) bin.hasLost = true
      homeless.push(item)
    }
  }
  // Parts that were never made before are filled one after the other, so that what is needed first comes first.
  const candidates = () => byNumber(bins).slice(places.size > 0 ? 0 : -1)
  for (const item of homeless) {
    const bin = candidates().find((one) => !one.hasLost && hasRoom(one, item))
    put(item, bin ?? binNumbered(Math.max(0, ...bins.keys()) + 1))
  }
  return withFirst(byNumber(bins).filter((bin) => bin.items.length > 0))
}

function byNumber(bins: ReadonlyMap<number, Bin>): Bin[] {
  return [...bins.values()].sort((a, b) => a.number - b.number)
}

/** There is always a part with the name of the whole. */
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

/** The number of the part that each manifest is in now. */
function placesIn(work: string, parts: readonly ManifestWork[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const { metadata, spec } of parts) {
    const number = partNumber(work, metadata.name)
    if (number === undefined) continue
    for (const manifest of spec?.workload?.manifests ?? []) places.set(identity(manifest), number)
  }
  return places
}

/** Equal for manifests of the same object, whatever the version. */
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
