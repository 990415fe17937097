import { type EventRecord, objectKey } from './event.js'
import type { EventAggregator, EventWrite } from './event-aggregator.js'
import { Recent } from './recent.js'
import { cut, MAX_NOTE } from './text.js'

/** One event on the server, and its count. */
interface Sighting {
  readonly first: EventRecord
  count: number
}

/** Similar events: each note has an event of its own, until there are too many. */
interface Topic {
  readonly notes: Set<string>
  lastAt: number
}

/** How many events of an object may still be sent. */
interface Budget {
  tokens: number
  filledAt: number
}

/** The limits of client-go. */
const MAX_NOTES = 10
const TOPIC_MEMORY = 600_000
const BURST = 25
const MILLISECONDS_A_TOKEN = 300_000
const COMBINED = '(combined from similar events): '

/**
 * Aggregates events of the core group as client-go does. A repeated note raises the count of its event; many
 * different notes about the same thing in a short time are combined into one event; and an object with many events is
 * rate limited.
 */
export class Correlator implements EventAggregator {
  /** Nothing is delayed: events are sent at once. */
  readonly open = 0
  readonly #topics = new Recent<Topic>()
  readonly #sightings = new Recent<Sighting>()
  readonly #budgets = new Recent<Budget>()

  add(record: EventRecord, now: number): EventWrite[] {
    const { type, reason, note, regarding } = record
    const object = objectKey(regarding)
    const topic = JSON.stringify([object, type, reason])
    const isCombined = this.#isTooMuch(topic, note, now)
    const key = isCombined ? topic : JSON.stringify([topic, regarding.fieldPath, note])
    const write = this.#count(key, isCombined ? { ...record, note: cut(COMBINED + note, MAX_NOTE) } : record)
    return this.#spend(JSON.stringify([object, type]), now) ? [write] : []
  }

  sweep(): EventWrite[] {
    return []
  }

  clear(): EventWrite[] {
    return []
  }

  /** Notes that have an event of their own keep it. */
  #isTooMuch(key: string, note: string, now: number): boolean {
    let topic = this.#topics.get(key)
    if (topic === undefined || now - topic.lastAt > TOPIC_MEMORY) topic = { notes: new Set(), lastAt: now }
    topic.lastAt = now
    this.#topics.set(key, topic)
    if (topic.notes.has(note)) return false
    if (topic.notes.size === MAX_NOTES - 1) return true
    topic.notes.add(note)
    return false
  }

  #count(key: string, record: EventRecord): EventWrite {
    const known = this.#sightings.get(key)
    if (known === undefined) {
      this.#sightings.set(key, { first: record, count: 1 })
      return { record, series: undefined }
    }
    known.count++
    const { name, time } = known.first
    return { record: { ...record, name, time }, series: { count: known.count, last: record.time } }
  }

  #spend(key: string, now: number): boolean {
    const budget = this.#budgets.get(key) ?? { tokens: BURST, filledAt: now }
    const filled = Math.min(BURST, budget.tokens + (now - budget.filledAt) / MILLISECONDS_A_TOKEN)
    const isGiven = filled >= 1
    this.#budgets.set(key, { tokens: isGiven ? filled - 1 : filled, filledAt: now })
    return isGiven
  }
}
