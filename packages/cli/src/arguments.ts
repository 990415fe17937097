import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'

/**
 * The `--data` of a command or of the command it belongs to, so that it may stand before `backup` or after it. Ends the
 * command when there is none.
 */
export function dataDirectory(command: Command): string {
  const { data } = command.optsWithGlobals<{ data?: string }>()
  if (data === undefined || data === '') command.error("error: required option '--data <dir>' not specified")
  return resolve(data)
}

/** Reads a directory. An empty one is a variable that is not set: the fleet that is meant then would be another one. */
export function directoryName(text: string): string {
  if (text === '')
    throw new InvalidArgumentError('The name of the directory is empty: leave the option out, or name one.')
  return text
}

/** Reads a port. */
export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65535)) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}

/** An hour: more is a slip of the finger. */
const MAX_SECONDS = 3600

/** Reads a number of seconds, which may be 0. */
export function wholeSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= MAX_SECONDS)) throw new InvalidArgumentError(`It is a number of seconds from 0 to ${MAX_SECONDS}.`)
  return seconds
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/i
const MAX_HOST_NAME = 253

/** Collects names and addresses a certificate can hold. */
export function hostNames(text: string, before: readonly string[] = []): readonly string[] {
  const labels = text.replace(/^\*\./, '').split('.')
  const isName = text.length <= MAX_HOST_NAME && labels.every((label) => label.length <= 63 && LABEL.test(label))
  if (isIP(text) === 0 && !isName) throw new InvalidArgumentError('It is neither a host name nor an IP address.')
  return [...before, text]
}

/** More would not fit on one machine. */
const MAX_CLUSTERS = 200

/** Reads how many clusters. */
export function clusterCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= 1 && count <= MAX_CLUSTERS)) {
    throw new InvalidArgumentError(`A fleet has from 1 to ${MAX_CLUSTERS} clusters.`)
  }
  return count
}

/** Ends the command when options were typed that mean nothing here: whoever typed them expects something. */
export function refuseOptions(command: Command, names: readonly string[], why: string): void {
  const typed = command.options.find(
    (option) =>
      names.includes(option.attributeName()) && command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (typed !== undefined) command.error(`error: ${typed.long} ${why}`)
}

/** What `--new-store` does, wherever it is an option. */
export const NEW_STORE = 'begin with an empty store where a data directory has lost its store'
