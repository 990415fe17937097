import type { KubeObject } from '@orrery/kinds'
import { compileJsonPath, displayed } from '@orrery/kinds/values'

/** The fields of a version that field selectors may name, beside name and namespace. */
export interface SelectableFields {
  /** Their names in selectors: `spec.color`. */
  readonly names: readonly string[]
  /** Their values in an object; a field that is not there is empty. */
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
