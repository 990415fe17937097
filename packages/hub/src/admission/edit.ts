import type { JsonValue, KubeObject } from '@orrery/kinds'

/** A member of an object that a rule sets. What holds the member is there already. */
export interface Edit {
  /** Names of members and places in lists. */
  readonly path: readonly [string, ...(string | number)[]]
  readonly value: JsonValue
}

/** Sets what rules want set. */
export function applyEdits(object: KubeObject, edits: readonly Edit[]): void {
  for (const { path, value } of edits) {
    let holder = object as Record<string | number, unknown>
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>
    holder[path.at(-1) as string | number] = value
  }
}
