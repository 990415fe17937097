import type { Bundles } from '../store/bundles.js'
import type { Database } from '../store/database.js'
import { type SpecChange, type StatusChange, specChangeOf, statusChangeOf } from './changes.js'
import { unavailable } from './database-errors.js'

const CHUNK = 50

export interface Resync {
  specsFor(consumerName: string, known: ReadonlyMap<string, number>): AsyncIterable<SpecChange>
  statusesFor(source: string, hashes: ReadonlyMap<string, string>): AsyncIterable<StatusChange>
}

/** Answers what subscribers missed. Only versions and hashes are read at once: bundles follow in small parts. */
export function resyncIn({ query }: Database, bundles: Bundles): Resync {
  async function* specsFor(consumerName: string, known: ReadonlyMap<string, number>): AsyncIterable<SpecChange> {
    const rows = await query<{ id: string; version: number; is_deleting: boolean }>({
      name: 'versions',
      text: 'select id, version, deleted_at is not null is_deleting from resources where consumer_name = $1',
      values: [consumerName],
    }).catch(unavailable)
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
    for (let start = 0; start < ids.length; start += CHUNK) {
      yield* await bundles.getAll(ids.slice(start, start + CHUNK)).catch(unavailable)
    }
  }
  return { specsFor, statusesFor }
}
