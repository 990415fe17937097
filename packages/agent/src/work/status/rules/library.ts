import { allLibraries, type CelLibrary, type CelValue, overload, toJson } from '@orrery/cel'
import { isObject } from '@orrery/kinds/values'

/** Asks whether a status, which may be anything, has conditions to look into. */
const conditions: CelLibrary = {
  name: 'open-cluster-management.conditions',
  overloads: [overload('status_has_conditions', 'hasConditions(dyn) -> bool', hasConditions)],
}

function hasConditions(value: CelValue): boolean {
  const status = toJson(value)
  return isObject(status) && Array.isArray(status.conditions) && status.conditions.length > 0
}

/** What expressions in condition rules can call. */
export const ruleLibraries: readonly CelLibrary[] = [...allLibraries, conditions]
