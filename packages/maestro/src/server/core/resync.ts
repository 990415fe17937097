import type { Bundles } from '../store/bundles.js'
import type { Database } from '../store/database.js'
import { type SpecChange, type StatusChange, specChangeOf, statusChangeOf } from './changes.js'
import { unavailable } from './database-errors.js'
import { sharedReads } from './shared-reads.js'

const CHUNK = 50
/** Agents that missed little are many when the server has started: their reads share queries. */
const FEW = 4

interface VersionRow {
  readonly id: string
  readonly consumer_name: string
  readonly version: number
  readonly is_deleting: boolean
}

export interface Resync {
  specsFor(consumerName: string, known: ReadonlyMap<string, number>): AsyncIterable<SpecChange>
  statusesFor(source: string, hashes: ReadonlyMap<string, string>): AsyncIterable<StatusChange>
}

/** Answers what subscribers missed. Only versions and hashes are read at once: bundles follow in small parts. */
export function resyncIn({ query }: Database, bundles: Pick<Bundles, 'get' | 'getAll'>): Resync {
  const versionsOf = sharedReads<VersionRow>(
    (consumerNames) =>
      query({
        name: 'versions',
        text: 'select id, consumer_name, version, deleted_at is not null is_deleting from resources where consumer_name = any($1::text[])',
        values: [consumerNames],
      }),
    ({ consumer_name: consumerName }) => consumerName,
  )

  async function* specsFor(consumerName: string, known: ReadonlyMap<string, number>): AsyncIterable<SpecChange> {
    const rows = await versionsOf(consumerName).catch(unavailable)
    // An agent with a newer version has a work that was deleted here, and created again.
    const wanted = rows.filter(
      ({ id, version, is_deleting: isDeleting }) => isDeleting || version !== (known.get(id) ?? 0),
    )
    for await (const bundle of read(wanted.map(({ id }) => id))) {
      if (bundle.consumerName === consumerName) yield specChangeOf(bundle)
    }
    const existing = new Set(rows.map(({ id }) => id))
    for (const [id, version] of known) {
      if (!existing.has(id)) yield { id, consumerName, version, bundle: undefined, isNew: false }
    }
  }

  async function* statusesFor(source: string, hashes: ReadonlyMap<string, string>): AsyncIterable<StatusChange> {
    const rows = await query<{ id: string; status_hash: string | null }>({
      name: 'hashes',
      text: 'select id, status_hash from resources where source = $1 and status_sequence is not null',
      values: [source],
    }).catch(unavailable)
    const wanted = rows.filter(({ id, status_hash: hash }) => {
      const known = hashes.get(id)
      return hashes.size === 0 || (known !== undefined && (hash === '' || known !== hash))
    })
    for await (const bundle of read(wanted.map(({ id }) => id))) {
      if (bundle.status !== undefined) yield statusChangeOf(bundle, false)
    }
  }

  async function* read(ids: readonly string[]) {
    if (ids.length <= FEW) {
      for (const found of await Promise.all(ids.map(bundles.get)).catch(unavailable))
        if (found !== undefined) yield found
      return
    }
    for (let start = 0; start < ids.length; start += CHUNK) {
      yield* await bundles.getAll(ids.slice(start, start + CHUNK)).catch(unavailable)
    }
  }
  return { specsFor, statusesFor }
}
