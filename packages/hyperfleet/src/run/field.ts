import { compileJsonPath, isObject } from '@orrery/kinds/values'

/** The value of a field: a path such as `status.phase`, or a JSONPath in braces. Undefined if there is none. */
export function fieldValue(data: unknown, field: string): unknown {
  const text = field.trim()
  if (text.startsWith('{') || text.includes('[')) {
    const path = text.startsWith('{') ? text : `{.${text.replace(/^\./, '')}}`
    const found = compileJsonPath(path, { allowMissingKeys: true }).results(data).flat()
    return found.length > 1 ? found : found[0]
  }
  let current = data
  for (const key of text.split('.').filter((part) => part !== '')) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}
