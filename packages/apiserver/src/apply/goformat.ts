import type { JsonValue } from '@orrery/kinds'

/** Formats a value like `%#v` of Go: `map[string]interface {}{"a":1}`. */
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
