import type { Logger, LogLevel } from '@orrery/kube/log'

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** A log that drops lines below a level which can change while the agent runs. `log` must write all levels. */
export function withLiveLevel(log: Logger, level: () => LogLevel): Logger {
  const enables = (candidate: LogLevel) => SEVERITY[candidate] >= SEVERITY[level()] && log.enables(candidate)
  const at = (candidate: LogLevel): Logger['info'] => {
    return (message, fields) => {
      if (enables(candidate)) log[candidate](message, fields)
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    enables,
    child: (component) => withLiveLevel(log.child(component), level),
  }
}
