import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.js'

/** The values of flags. Those that are not set are missing. */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>

/** Parses `--name=value` and `--name value`, and switches without a value. Throws a `UsageError` that lists the flags. */
export function parseFlags(
  args: readonly string[],
  texts: readonly string[],
  switches: readonly string[] = [],
): FlagValues {
  const options = Object.fromEntries([
    ...texts.map((name) => [name, { type: 'string' as const }] as const),
    ...switches.map((name) => [name, { type: 'boolean' as const }] as const),
  ])
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values as FlagValues
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`)
    throw new UsageError(`${firstSentence((error as Error).message)}: the flags are ${known.join(', ')}`)
  }
}

/** The value of a flag; undefined if it is not set or empty. */
export function textFlag(values: FlagValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function firstSentence(text: string): string {
  return text.split('. ', 1)[0] ?? text
}
