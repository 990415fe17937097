import type { KubeObject } from '@orrery/kinds'
import { compileJsonPath, displayed } from '@orrery/kinds/values'

/** The selectable fields of a version, besides name and namespace. */
export interface SelectableFields {
  /** The names in field selectors: `spec.color`. */
  readonly names: readonly string[]
  /** Returns their values in an object; a missing field is empty. */
  valuesOf(object: KubeObject): Readonly<Record<string, string>>
}

export function selectableFieldsOf(fields: readonly { jsonPath: string }[]): SelectableFields {
  const compiled = fields.map(({ jsonPath }) => ({
    name: jsonPath.startsWith('.') ? jsonPath.slice(1) : jsonPath,
    path: compileJsonPath(`{${jsonPath}}`, { allowMissingKeys: true }),
  }))
  return {
    names: compiled.map(({ name }) => name),
    valuesOf(object) {
      const values: Record<string, string> = {}
      for (const { name, path } of compiled) {
        const value = path.first(object)
        values[name] = value === undefined || value === null ? '' : displayed(value)
      }
      return values
    },
  }
}
