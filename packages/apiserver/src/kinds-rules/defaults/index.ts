import type { JsonObject, KubeObject } from '@orrery/kinds'
import { coreDefaults } from './core.js'
import { groupDefaults } from './groups.js'

/** Fills in what the API takes for granted when the author of an object does not say it. Changes the object. */
export function applyDefaults(group: string, kind: string, object: KubeObject): void {
  const kinds = group === '' ? coreDefaults : groupDefaults.get(group)
  if (kinds === undefined || !Object.hasOwn(kinds, kind)) return
  kinds[kind]?.(object as unknown as JsonObject)
}
