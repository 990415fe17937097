import type { ClosingStep } from '../process/closing.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** A signal that is aborted by the first SIGINT or SIGTERM. The second one ends the process, as it does by default. */
export function signalOfProcess(open: ClosingStep[]): AbortSignal {
  const stopping = new AbortController()
  const ignore = () => {
    for (const name of SIGNALS) process.off(name, stop)
  }
  const stop = () => {
    ignore()
    stopping.abort()
  }
  for (const name of SIGNALS) process.on(name, stop)
  open.push(ignore)
  return stopping.signal
}
