import { withTimeLimit } from '@orrery/kube/process'
import { type Command, Option } from 'commander'
import { seconds } from './option-parsers.js'

/** The value of `--wait [seconds]`: true without a number. */
export type Wait = number | true

/** The default of `--wait`, in seconds. */
export const DEFAULT_WAIT = 300

export interface WaitOptions {
  readonly wait?: Wait
  readonly timeout?: number
}

/** `--wait`, and `--timeout` for users of clusteradm. */
export function addWaitOptions(command: Command, what: string): Command {
  return command
    .addOption(waitOption(what))
    .option('--timeout <seconds>', 'timeout of --wait; the same as a number after --wait', seconds)
}

/** Merges `--timeout` into `wait`. Exits with a usage error if both set a number, or if `--wait` is missing. */
export function resolveWait<Options extends WaitOptions>(options: Options, command: Command): Options {
  const { wait, timeout } = options
  if (timeout === undefined) return options
  if (wait === undefined) command.error("error: option '--timeout <seconds>' requires '--wait'")
  if (wait !== true) command.error("error: option '--timeout <seconds>' cannot be used with a number after '--wait'")
  return { ...options, wait: timeout }
}

/** `--wait` alone. */
export function waitOption(what: string): Option {
  return new Option('--wait [seconds]', `${what} (default timeout: ${DEFAULT_WAIT} seconds)`).argParser(seconds)
}

/** Runs `work` with a timeout. `late` gives the error message, with the timeout as text. */
export async function withTimeout<T>(
  wait: Wait,
  late: (limit: string) => string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = wait === true ? DEFAULT_WAIT : wait
  return withTimeLimit(limit * 1_000, undefined, async (signal) => {
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted) throw error
      throw new Error(late(`${limit} s`), { cause: error })
    }
  })
}
