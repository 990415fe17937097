export interface StopHandlers {
  /** At the first Ctrl-C, or request to terminate. */
  readonly stop: () => void
  /** At the second. Default: the process ends at once. */
  readonly force?: () => void
}

/** Listens for Ctrl-C and requests to terminate. */
export function onStopSignal({ stop, force }: StopHandlers): void {
  let isStopping = false
  const listen = () => {
    if (!isStopping) {
      isStopping = true
      if (force === undefined) for (const signal of SIGNALS) process.off(signal, listen)
      stop()
    } else {
      force?.()
    }
  }
  for (const signal of SIGNALS) process.on(signal, listen)
}

/** Resolves at the first Ctrl-C or request to terminate; a second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => onStopSignal({ stop: resolve }))
}

/** A closed terminal means the same. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
