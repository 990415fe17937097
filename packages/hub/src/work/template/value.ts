import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'
import { TemplateError, ValueError } from './errors.js'
import { compileText } from './text.js'
import type { ClusterValues } from './values.js'

/** Renders a value for a cluster. */
export type Render = (values: ClusterValues) => JsonValue

/** Compiles a value with expressions in its texts, but not in keys. Undefined if there are none. */
export function compileValue(value: JsonValue | undefined, path: string): Render | undefined {
  if (typeof value === 'string') return compileAt(value, path)
  if (Array.isArray(value)) return compileItems(value, path)
  return isObject(value) ? compileFields(value, path) : undefined
}

function compileAt(text: string, path: string): Render | undefined {
  const render = located(TemplateError, path, () => compileText(text))
  return render && ((values) => located(ValueError, path, () => render(values)))
}

function compileItems(items: readonly JsonValue[], path: string): Render | undefined {
  const renders = items.map((item, index) => compileValue(item, `${path}[${index}]`))
  if (renders.every((render) => render === undefined)) return undefined
  return (values) => items.map((item, index) => renders[index]?.(values) ?? item)
}

function compileFields(object: JsonObject, path: string): Render | undefined {
  const renders = Object.entries(object).flatMap(([key, field]) => {
    const render = compileValue(field, `${path}.${key}`)
    return render === undefined ? [] : [[key, render] as const]
  })
  if (renders.length === 0) return undefined
  return (values) => {
    const result = { ...object }
    for (const [key, render] of renders) setOwn(result, key, render(values))
    return result
  }
}

/** Adds the path to an error. */
export function located<T>(kind: typeof TemplateError | typeof ValueError, path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof kind ? new kind(`${path}: ${error.message}`) : error
  }
}
