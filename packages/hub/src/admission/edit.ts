import type { JsonValue, KubeObject } from '@orrery/kinds'

/** A field that a rule sets. Its parent exists. */
export interface Edit {
  /** Names of fields and indexes of list items. */
  readonly path: readonly [string, ...(string | number)[]]
  readonly value: JsonValue
}

/** Sets the fields in an object. */
export function applyEdits(object: KubeObject, edits: readonly Edit[]): void {
  for (const { path, value } of edits) {
    let holder = object as Record<string | number, unknown>
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>
    holder[path.at(-1) as string | number] = value
  }
}
