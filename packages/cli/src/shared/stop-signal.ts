export interface StopHandlers {
  /** Called at the first signal. */
  readonly stop: () => void
  /** Called at the second signal. Default: the process exits at once. */
  readonly force?: () => void
}

/** Handles Ctrl-C, SIGTERM and SIGHUP. */
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

/** Resolves at the first Ctrl-C, SIGTERM or SIGHUP. The second ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => onStopSignal({ stop: resolve }))
}

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
