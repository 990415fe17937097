import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'
import type { Adapter } from '../config/load.js'
import { fieldValue } from './field.js'

/**
 * The value of a payload. Texts are templates; an object with `expression` or `field` is replaced by its value, or by
 * `default` if there is none.
 */
export function buildPayload(
  build: JsonObject,
  adapter: Adapter,
  params: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, unknown>>,
): JsonObject {
  const { templates, expressions } = adapter

  function built(item: JsonValue): JsonValue {
    if (typeof item === 'string') return templates.render(item, params)
    if (Array.isArray(item)) return item.map(built)
    if (!isObject(item)) return item
    const { expression, field, default: fallback = null } = item
    if (typeof expression === 'string' && expression.trim() !== '') {
      const result = expressions.evaluate(expression, variables)
      return (result.ok ? (result.value as JsonValue) : null) ?? fallback
    }
    if (typeof field === 'string' && field.trim() !== '') return (fieldValue(variables, field) as JsonValue) ?? fallback
    return objectOf(item)
  }

  function objectOf(object: JsonObject): JsonObject {
    const result: JsonObject = {}
    for (const [key, item] of Object.entries(object)) setOwn(result, templates.render(key, params), built(item ?? null))
    return result
  }

  return objectOf(build)
}
