import { MANIFEST_COUNT_LIMIT, MANIFEST_LIMIT, type ManifestWork, manifestSize } from '@orrery/api'
import type { Manifest } from '../agent-addon.js'
import { identityOf, nameOf } from './manifests.js'

/** The manifests of one work. */
export interface PlacedWork {
  readonly name: string
  readonly manifests: readonly Manifest[]
}

/** How manifests are divided among works. */
export interface Division {
  readonly works: readonly PlacedWork[]
  /** Whether a manifest is in no work yet, or no longer fits into its work. */
  readonly hasNew: boolean
}

/** New manifests fill a work only so far, to leave room for changes of those that it has. */
const FILL_LIMIT = MANIFEST_LIMIT * 0.8

/**
 * Divides manifests among works. A manifest stays in the work that has it: a move could delete its object. New ones go to the
 * work with the most room, the largest first, or to a new work. A work that has lost all its manifests is left out.
 */
export function divide(prefix: string, manifests: readonly Manifest[], existing: readonly ManifestWork[]): Division {
  const items = new Map(manifests.map((manifest, order) => [identityOf(manifest), itemOf(manifest, order)]))
  const bins = existing.map(({ metadata: { name }, spec }) => {
    const bin: Bin = { name, items: [], size: 0 }
    for (const manifest of spec?.workload?.manifests ?? []) {
      const identity = identityOf(manifest as Manifest)
      const item = items.get(identity)
      if (item === undefined || !fits(bin, item, MANIFEST_LIMIT)) continue
      put(bin, item)
      items.delete(identity)
    }
    return bin
  })
  const unplaced = [...items.values()].sort((a, b) => b.size - a.size || a.order - b.order)
  const added = new Map<Bin, Item[]>()
  for (const item of unplaced) {
    const bin = roomiest(bins, item) ?? newBin(prefix, bins)
    put(bin, item)
    added.set(bin, [...(added.get(bin) ?? []), item])
  }
  // The order of a new work is that of the add-on, not that of the sizes.
  for (const [bin, late] of added) {
    bin.items.splice(bin.items.length - late.length, late.length, ...late.sort((a, b) => a.order - b.order))
  }
  const works = bins
    .filter((bin) => bin.items.length > 0)
    .map((bin) => ({ name: bin.name, manifests: bin.items.map(({ manifest }) => manifest) }))
  return { works, hasNew: unplaced.length > 0 }
}

interface Item {
  readonly manifest: Manifest
  readonly size: number
  /** The position among the manifests of the add-on. */
  readonly order: number
}

interface Bin {
  readonly name: string
  readonly items: Item[]
  size: number
}

function itemOf(manifest: Manifest, order: number): Item {
  const size = manifestSize(manifest)
  if (size > MANIFEST_LIMIT) {
    throw new RangeError(`${nameOf(manifest)} takes ${size} bytes: no more than ${MANIFEST_LIMIT} fit into one work`)
  }
  return { manifest, size, order }
}

function fits(bin: Bin, item: Item, limit: number): boolean {
  return bin.size + item.size <= limit && bin.items.length < MANIFEST_COUNT_LIMIT
}

function put(bin: Bin, item: Item): void {
  bin.items.push(item)
  bin.size += item.size
}

function roomiest(bins: readonly Bin[], item: Item): Bin | undefined {
  let best: Bin | undefined
  for (const bin of bins) {
    if (fits(bin, item, FILL_LIMIT) && (best === undefined || bin.size < best.size)) best = bin
  }
  return best
}

/** With the first free number. */
function newBin(prefix: string, bins: Bin[]): Bin {
  const names = new Set(bins.map(({ name }) => name))
  let number = 0
  while (names.has(`${prefix}-${number}`)) number++
  const bin: Bin = { name: `${prefix}-${number}`, items: [], size: 0 }
  bins.push(bin)
  return bin
}
