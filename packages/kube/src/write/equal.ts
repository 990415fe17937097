import { isObject } from '@orrery/kinds/values'

/** Deep equality as in Kubernetes: absent, null and empty are equal, since servers omit empty lists and maps. */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || a === null) return isEmpty(a) && isEmpty(b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b)) return a.length === 0 && isEmpty(b)
    return a.length === b.length && a.every((item, index) => semanticEqual(item, b[index]))
  }
  if (!isObject(b)) return isEmpty(a) && isEmpty(b)
  const left = a as Readonly<Record<string, unknown>>
  for (const key of Object.keys(left)) {
    if (!semanticEqual(left[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false
  }
  return Object.keys(b).every((key) => Object.hasOwn(left, key) || isEmpty(b[key]))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}
