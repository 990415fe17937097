import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'

/** The value of `--data` of a command or its parent, so that it can precede or follow `backup`. Required: exits if unset. */
export function dataDirectory(command: Command): string {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  if (data === undefined || data === '') command.error("error: required option '--data <dir>' not specified")
  return resolve(data)
}

/** Parses a directory. Rejects an empty one: it comes from an unset shell variable and would select another fleet. */
export function directoryName(text: string): string {
  if (text === '') throw new InvalidArgumentError('The directory name is empty: omit the option or set a name.')
  return text
}

/** Parses a port. */
export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65535)) throw new InvalidArgumentError('Use a number from 0 to 65535.')
  return port
}

/** One hour. A larger value is a typing error. */
const MAX_SECONDS = 3600

/** Parses a number of seconds; 0 is allowed. */
export function wholeSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= MAX_SECONDS)) throw new InvalidArgumentError(`Use a number of seconds from 0 to ${MAX_SECONDS}.`)
  return seconds
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/i
const MAX_HOST_NAME = 253

/** Collects the subject alternative names of a certificate. */
export function hostNames(text: string, before: readonly string[] = []): readonly string[] {
  const labels = text.replace(/^\*\./, '').split('.')
  const isName = text.length <= MAX_HOST_NAME && labels.every((label) => label.length <= 63 && LABEL.test(label))
  if (isIP(text) === 0 && !isName) throw new InvalidArgumentError('Use a host name or an IP address.')
  return [...before, text]
}

/** The number of clusters that one machine can run. */
const MAX_CLUSTERS = 200

/** Parses the number of clusters. */
export function clusterCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= 1 && count <= MAX_CLUSTERS)) {
    throw new InvalidArgumentError(`Use a number from 1 to ${MAX_CLUSTERS}.`)
  }
  return count
}

/** Exits with a usage error if an option was given that has no effect here. */
export function refuseOptions(command: Command, names: readonly string[], why: string): void {
  const typed = command.options.find(
    (option) =>
      names.includes(option.attributeName()) && command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (typed !== undefined) command.error(`error: option '${typed.long}' ${why}`)
}

/** Help text of `--new-store`. */
export const NEW_STORE = 'start with an empty store if the data directory has lost its store'
