import { allLibraries, type CelLibrary, type CelValue, overload, toJson } from '@orrery/cel'
import { isObject } from '@orrery/kinds/values'

/** Checks whether a status of any type has conditions. */
const conditions: CelLibrary = {
  name: 'open-cluster-management.conditions',
  overloads: [overload('status_has_conditions', 'hasConditions(dyn) -> bool', hasConditions)],
}

function hasConditions(value: CelValue): boolean {
  const status = toJson(value)
  return isObject(status) && Array.isArray(status.conditions) && status.conditions.length > 0
}

/** The functions that expressions in condition rules can call. */
export const ruleLibraries: readonly CelLibrary[] = [...allLibraries, conditions]
