import type { EventRecord, Series } from './event.js'

/** A write to the server: a new event, or a new count of an event. */
export interface EventWrite {
  readonly record: EventRecord
  readonly series: Series | undefined
}

/** Decides which events are repetitions. Times are the clock's elapsed time. */
export interface EventAggregator {
  /** The number of events with writes still to come. */
  readonly open: number
  /** Takes an event, and returns the writes that are due at once. */
  add(record: EventRecord, now: number): EventWrite[]
  /** Drops series that have ended, and returns the writes that are due by now. */
  sweep(now: number): EventWrite[]
  /** Drops everything, and returns the writes that are left. */
  clear(): EventWrite[]
}
