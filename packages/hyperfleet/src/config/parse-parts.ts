import { fieldInvalid } from '@orrery/kinds/values'
import type { Reader } from './reader.js'

/** Returns the content of a file that a task refers to. */
export type ReadReference = (path: string) => string

/** Names become variables of expressions. */
export const NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/

export const optional = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V }

export function nameOf(item: Reader, pattern: RegExp): string {
  const name = item.requiredString('name')
  if (name !== '' && !pattern.test(name)) {
    item.errors.push(fieldInvalid(item.at('name'), name, `must match ${pattern.source}`))
  }
  return name
}

export function readFile(item: Reader, key: string, path: string, read: ReadReference): string {
  try {
    return read(path)
  } catch (error) {
    item.errors.push(fieldInvalid(`${item.path}.${key}`, path, (error as Error).message))
    return ''
  }
}

export function whenOf(item: Reader | undefined): string | undefined {
  const when = item?.object('when')
  const expression = when?.requiredString('expression')
  when?.end()
  return expression
}
