import type { JsonValue } from '@orrery/kube'

/** A value as `%v` prints it: `map[a:1 b:[x y]]`. Error messages that clients compare against are written this way. */
export function formatPlain(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(formatPlain).join(' ')}]`
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${formatPlain(value[key] ?? null)}`)
  return `map[${entries.join(' ')}]`
}

/** A value as `%#v` prints it: `map[string]interface {}{"a":1}`. */
export function formatSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatSyntax).join(', ')}}`
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${formatSyntax(value[key] ?? null)}`)
  return `map[string]interface {}{${entries.join(', ')}}`
}

/** The Go type a decoded value has: `string`, `int64`, `map[string]interface {}`. */
export function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  }
}
