import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'

const MAX_CORES = 1024

/** Parses a number of cores. */
export function coreCount(given: string): number {
  const cores = /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN
  if (!(cores >= 1 && cores <= MAX_CORES)) throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_CORES}.`)
  return cores
}

/** Parses a number of objects. */
export function positiveCount(given: string): number {
  const count = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  if (!(count >= 1)) throw new InvalidArgumentError('Use a whole number from 1.')
  return count
}

/** Collects labels from `a=b,c=d` and from several options. */
export function labelMap(given: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = given.split(',').map((pair) => pair.split('='))
  if (pairs.some((pair) => pair.length !== 2 || pair[0] === '')) throw new InvalidArgumentError('Use a=b,c=d.')
  return { ...before, ...Object.fromEntries(pairs) }
}

/** The text of a file, or of standard input for `-`. */
export function readText(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8')
}
