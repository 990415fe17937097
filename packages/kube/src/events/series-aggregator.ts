import { type EventRecord, seriesKey } from './event.js'
import type { EventAggregator, EventWrite } from './event-aggregator.js'

interface Entry {
  readonly record: EventRecord
  count: number
  last: Date
  lastAt: number
  /** The count that was last written, and when. */
  told: number
  toldAt: number
}

/** An event continues a series if it comes within this time after the last one. */
export const SERIES_GAP = 6 * 60_000
/** How often an active series is written: servers delete events after an hour. */
const REFRESH = 30 * 60_000
const MAX_ENTRIES = 4_096

/**
 * Series of `events.k8s.io` events. It writes the first event, the second, which starts the series, and then only now
 * and then until the series ends.
 */
export class SeriesAggregator implements EventAggregator {
  readonly #entries = new Map<string, Entry>()

  get open(): number {
    return this.#entries.size
  }

  add(record: EventRecord, now: number): EventWrite[] {
    const key = seriesKey(record)
    const known = this.#entries.get(key)
    if (known !== undefined && !hasEnded(known, now)) {
      known.count++
      known.last = record.time
      known.lastAt = now
      return known.count === 2 ? [writeSeries(known, now)] : []
    }
    const finished = known === undefined ? this.#makeRoom() : this.#remove(key, known)
    this.#entries.set(key, { record, count: 1, last: record.time, lastAt: now, told: 1, toldAt: now })
    return [...finished, { record, series: undefined }]
  }

  sweep(now: number): EventWrite[] {
    const writes: EventWrite[] = []
    for (const [key, entry] of this.#entries) {
      if (hasEnded(entry, now)) writes.push(...this.#remove(key, entry))
      else if (entry.count > 1 && now - entry.toldAt >= REFRESH) writes.push(writeSeries(entry, now))
    }
    return writes
  }

  clear(): EventWrite[] {
    return [...this.#entries].flatMap(([key, entry]) => this.#remove(key, entry))
  }

  #remove(key: string, entry: Entry): EventWrite[] {
    this.#entries.delete(key)
    return entry.count > entry.told ? [writeOf(entry)] : []
  }

  #makeRoom(): EventWrite[] {
    if (this.#entries.size < MAX_ENTRIES) return []
    for (const [key, entry] of this.#entries) return this.#remove(key, entry)
    return []
  }
}

function hasEnded({ lastAt }: Entry, now: number): boolean {
  return now - lastAt > SERIES_GAP
}

function writeSeries(entry: Entry, now: number): EventWrite {
  entry.told = entry.count
  entry.toldAt = now
  return writeOf(entry)
}

function writeOf({ record, count, last }: Entry): EventWrite {
  return { record, series: { count, last } }
}
