import { MAX_WORK_NAME } from '@orrery/api'
import { isDNS1123Subdomain } from '@orrery/kinds/values'
import { InvalidArgumentError } from 'commander'

export { shellWord } from '@orrery/fleet'

/** Collects names from `a,b` and from several options. */
export function nameList(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Separate names with single commas: a,b.')
  return [...new Set([...before, ...names])]
}

/** Parses the name of a work. */
export function workName(text: string): string {
  const [problem] = isDNS1123Subdomain(text)
  if (problem !== undefined) throw new InvalidArgumentError(`Not a valid name of a work: ${problem}.`)
  if (text.length > MAX_WORK_NAME) {
    throw new InvalidArgumentError(`The name of a work can have up to ${MAX_WORK_NAME} characters.`)
  }
  return text
}

/** Collects the values of an option that can be repeated. */
export function eachOf(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** Parses a number of seconds. */
export function seconds(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 1)) throw new InvalidArgumentError('Use a number of seconds from 1.')
  return value
}

/** Parses `namespace/name`. */
export function namespacedName(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (namespace === '' || name === '' || more.length > 0) {
    throw new InvalidArgumentError('Use namespace/name.')
  }
  return { namespace, name }
}
