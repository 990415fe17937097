import { enforcedFormat, itemsOf, type JsonSchema } from '@orrery/cel/schema'
import { schemaHas } from './check/schemawalk.js'
import type { Crd } from './types.js'

/** Returns the warnings for a definition; on an update only new ones. */
export function crdWarnings(crd: Crd, old: Crd | undefined): string[] {
  const before = new Set(old ? allWarnings(old) : [])
  return [...new Set(allWarnings(crd))].filter((warning) => !before.has(warning))
}

function allWarnings(crd: Crd): string[] {
  const formats: string[] = []
  const sets = new Set<string>()
  for (const version of crd.spec.versions) {
    const schema = version.schema?.openAPIV3Schema
    if (!schema) continue
    schemaHas(schema, (inner) => {
      collect(inner, formats, sets)
      return false
    })
  }
  return [...formats, ...[...sets].sort()]
}

function collect(schema: JsonSchema, formats: string[], sets: Set<string>): void {
  if (schema.format && enforcedFormat(schema.type ?? '', schema.format) === '') {
    formats.push(`unrecognized format ${JSON.stringify(schema.format)}`)
  }
  const items = itemsOf(schema)
  if (schema['x-kubernetes-list-type'] !== 'set' || !items) return
  if (items.type !== 'object' && items.type !== 'array') return
  const what = `x-kubernetes-list-type: set for items of type ${JSON.stringify(items.type)}`
  sets.add(`${what} is not supported by server-side apply or CEL validation rules`)
}
