import type { JoinOrder, PartReport } from './messages.js'

/** The connection from a part to its supervisor. */
export interface Supervisor {
  report(report: PartReport): void
  /** Calls back when the hub can be joined, with the bootstrap kubeconfig file. */
  onJoin(listener: (order: JoinOrder) => void): void
  /** Calls back when the supervisor is gone, however it ended. */
  onGone(listener: () => void): void
}

/** The supervisor of this process; undefined if there is none. */
export function supervisorHere(): Supervisor | undefined {
  if (process.send === undefined) return undefined
  return {
    report(report) {
      // If the supervisor is gone, `onGone` reports it.
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
