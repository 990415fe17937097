import type { JsonObject, KubeObject } from '@orrery/kinds'
import { coreDefaults } from './core.js'
import { groupDefaults } from './groups.js'

/** Applies the API defaults of a built-in kind in place. */
export function applyDefaults(group: string, kind: string, object: KubeObject): void {
  const kinds = group === '' ? coreDefaults : groupDefaults.get(group)
  if (kinds === undefined || !Object.hasOwn(kinds, kind)) return
  kinds[kind]?.(object as unknown as JsonObject)
}
