import type { JoinOrder, PartReport } from './messages.js'

/** The way from a part to whatever keeps it running. */
export interface Supervisor {
  report(report: PartReport): void
  /** Calls back when the hub can be joined, with the file that says how. */
  onJoin(listener: (order: JoinOrder) => void): void
  /** Calls back when the supervisor is gone, however it ended. */
  onGone(listener: () => void): void
}

/** What keeps this process running; undefined when nobody does. */
export function supervisorHere(): Supervisor | undefined {
  if (process.send === undefined) return undefined
  return {
    report(report) {
      // A supervisor that is gone is noticed by `onGone`.
      if (process.connected) process.send?.(report, undefined, undefined, () => undefined)
    },
    onJoin(listener) {
      process.on('message', (message) => listener(message as JoinOrder))
    },
    onGone(listener) {
      process.once('disconnect', listener)
    },
  }
}
