import type { EventRecord, Series } from './event.js'

/** Something to be told to the server: a new event, or how often an event has happened. */
export interface EventWrite {
  readonly record: EventRecord
  readonly series: Series | undefined
}

/** Knows which happenings are the same thing again. Times are those that the clock says have elapsed. */
export interface EventAggregator {
  /** How many events there may be something to tell of later. */
  readonly open: number
  /** Takes a happening down, and says what the server has to hear of at once. */
  add(record: EventRecord, now: number): EventWrite[]
  /** Forgets what has come to its end, and says what the server has to hear by now. */
  sweep(now: number): EventWrite[]
  /** Forgets everything, and says what the server does not know yet. */
  clear(): EventWrite[]
}
