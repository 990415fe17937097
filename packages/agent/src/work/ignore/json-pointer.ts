import type { JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { child, type FieldPath, IgnoreFieldError } from './path.js'

const INDEX = /^(0|[1-9]\d*)$/

/** The path of a JSON pointer (RFC 6901) in an object; undefined if it does not exist. */
export function pointerPath(root: JsonValue, pointer: string): FieldPath | undefined {
  if (!pointer.startsWith('/')) {
    throw new IgnoreFieldError(`JSON Pointer error in '${pointer}': it must begin with '/'`)
  }
  const path: (string | number)[] = []
  let value: JsonValue | undefined = root
  for (const token of pointer.slice(1).split('/')) {
    const name = unescaped(token, pointer)
    const step: string | number = Array.isArray(value) && INDEX.test(name) ? Number(name) : name
    if (!isObject(value) && !Array.isArray(value)) return undefined
    value = child(value, step)
    if (value === undefined) return undefined
    path.push(step)
  }
  return path
}

function unescaped(token: string, pointer: string): string {
  if (/~(?![01])/.test(token)) {
    throw new IgnoreFieldError(`JSON Pointer error in '${pointer}': write '~' as '~0', and '/' as '~1'`)
  }
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
