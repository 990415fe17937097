import { type EventRecord, type Series, seriesKey } from './event.js'

/** Something to be told to the server: a new event, or how often an event has happened. */
export interface EventWrite {
  readonly record: EventRecord
  readonly series: Series | undefined
}

interface Entry {
  readonly record: EventRecord
  count: number
  last: Date
  /** The count that the server was told last, and when. */
  told: number
  toldAt: Date
}

/** A happening belongs to a series when it comes no later than this after the one before. */
export const SERIES_GAP = 6 * 60_000
/** A series that goes on is told to the server this often: events are forgotten after an hour. */
const REFRESH = 30 * 60_000
const MAX_ENTRIES = 4_096

/**
 * Knows which happenings are the same thing again. The server hears of the first, of the second, which makes a series of
 * it, and then only now and then until the series ends.
 */
export class SeriesBook {
  readonly #entries = new Map<string, Entry>()
  readonly #notes: number
  /** How many notes about the same thing are in the book, each with a series of its own. */
  readonly #noted = new Map<string, number>()

  /** `notes`: how many different notes about the same thing are events of their own. Default: a note makes no difference. */
  constructor(notes = 0) {
    this.#notes = notes
  }

  get size(): number {
    return this.#entries.size
  }

  /** Takes a happening down, and says what the server has to hear of at once. */
  add(happening: EventRecord): EventWrite[] {
    const { key, record } = this.#placeOf(happening)
    const known = this.#entries.get(key)
    if (known !== undefined && !hasEnded(known, record.time)) {
      known.count++
      known.last = record.time
      return known.count === 2 ? [tell(known, record.time)] : []
    }
    const finished = known === undefined ? this.#makeRoom(record.time) : this.#remove(key, known, record.time)
    this.#entries.set(key, { record, count: 1, last: record.time, told: 1, toldAt: record.time })
    if (this.#notes > 0) this.#noted.set(seriesKey(record), this.#notedOf(record) + 1)
    return [...finished, { record, series: undefined }]
  }

  /** Forgets what has come to its end, and says what the server has to hear by now. */
  sweep(now: Date): EventWrite[] {
    const writes: EventWrite[] = []
    for (const [key, entry] of this.#entries) {
      if (hasEnded(entry, now)) writes.push(...this.#remove(key, entry, now))
      else if (entry.count > 1 && now.getTime() - entry.toldAt.getTime() >= REFRESH) writes.push(tell(entry, now))
    }
    return writes
  }

  /** Forgets everything, and says what the server does not know yet. */
  clear(now: Date): EventWrite[] {
    return [...this.#entries].flatMap(([key, entry]) => this.#remove(key, entry, now))
  }

  /** What says something else is told apart, until it becomes too much: then it is all one series. */
  #placeOf(record: EventRecord): { readonly key: string; readonly record: EventRecord } {
    const together = seriesKey(record)
    if (this.#notes === 0) return { key: together, record }
    const own = `${together} ${record.note}`
    if (this.#entries.has(own) || this.#notedOf(record) < this.#notes) return { key: own, record }
    return { key: together, record: { ...record, note: `(combined from similar events): ${record.note}` } }
  }

  #notedOf(record: EventRecord): number {
    return this.#noted.get(seriesKey(record)) ?? 0
  }

  #remove(key: string, entry: Entry, now: Date): EventWrite[] {
    this.#entries.delete(key)
    const left = this.#notedOf(entry.record) - 1
    if (left > 0) this.#noted.set(seriesKey(entry.record), left)
    else this.#noted.delete(seriesKey(entry.record))
    return entry.count > entry.told ? [tell(entry, now)] : []
  }

  #makeRoom(now: Date): EventWrite[] {
    if (this.#entries.size < MAX_ENTRIES) return []
    for (const [key, entry] of this.#entries) return this.#remove(key, entry, now)
    return []
  }
}

function hasEnded({ last }: Entry, now: Date): boolean {
  return now.getTime() - last.getTime() > SERIES_GAP
}

function tell(entry: Entry, now: Date): EventWrite {
  const { record, count, last } = entry
  entry.told = count
  entry.toldAt = now
  return { record, series: { count, last } }
}
