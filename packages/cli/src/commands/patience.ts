import { type Command, Option } from 'commander'
import { seconds } from './words.js'

/** `--wait [seconds]`: true without a number. */
export type Wait = number | true

/** How long to wait unless told otherwise, in seconds. */
export const DEFAULT_WAIT = 300

export interface WaitOptions {
  readonly wait?: Wait
  readonly timeout?: number
}

/** `--wait`, and `--timeout` as clusteradm has it, for commands that others have to do something for. */
export function addWaitOptions(command: Command, what: string): Command {
  return command
    .addOption(waitOption(what))
    .option(
      '--timeout <seconds>',
      'how long --wait waits, as clusteradm has it: the same as a number after --wait',
      seconds,
    )
}

/** The options with all that was said of waiting in `wait`. Ends the command when that is said twice, or of nothing. */
export function settleWait<Options extends WaitOptions>(options: Options, command: Command): Options {
  const { wait, timeout } = options
  if (timeout === undefined) return options
  if (wait === undefined) command.error('error: --timeout says how long --wait waits: add --wait')
  if (wait !== true) command.error('error: --timeout and the number after --wait say the same: use one')
  return { ...options, wait: timeout }
}

/** `--wait` alone. */
export function waitOption(what: string): Option {
  return new Option('--wait [seconds]', `${what} (default: ${DEFAULT_WAIT} seconds at most)`).argParser(seconds)
}

/** Does something for so long at most. `late` says what had not happened by then. */
export async function withPatience<T>(
  wait: Wait,
  late: string | (() => string),
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = wait === true ? DEFAULT_WAIT : wait
  const signal = AbortSignal.timeout(limit * 1_000)
  // Timers of signals let the process end, and there may be no connection to keep it.
  const alive = setTimeout(() => undefined, limit * 1_000 + 1_000)
  try {
    return await work(signal)
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`after ${limit} s ${typeof late === 'string' ? late : late()}`, { cause: error })
  } finally {
    clearTimeout(alive)
  }
}
