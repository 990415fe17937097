import { LONGEST_WORK_NAME } from '@orrery/api'
import { isDNS1123Subdomain } from '@orrery/kube'
import { InvalidArgumentError } from 'commander'

export { shellWord } from '@orrery/fleet'

/** Collects names from `a,b` and from several options. */
export function nameList(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Names are separated by single commas: a,b.')
  return [...new Set([...before, ...names])]
}

/** Reads the name of a work. */
export function workName(text: string): string {
  const [problem] = isDNS1123Subdomain(text)
  if (problem !== undefined) throw new InvalidArgumentError(`It cannot be the name of a work: ${problem}.`)
  if (text.length > LONGEST_WORK_NAME) {
    throw new InvalidArgumentError(`The name of a work has up to ${LONGEST_WORK_NAME} characters.`)
  }
  return text
}

/** Collects what is given one at a time. */
export function eachOf(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** Reads how many seconds. */
export function seconds(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 1)) throw new InvalidArgumentError('It is a number of seconds, from 1.')
  return value
}

/** Reads `namespace/name`. */
export function namespacedName(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (namespace === '' || name === '' || more.length > 0) {
    throw new InvalidArgumentError('It is written as namespace/name.')
  }
  return { namespace, name }
}
