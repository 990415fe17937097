import { allLibraries, type CelLibrary, CelList, CelMap, type CelValue, overload, toJson } from '@orrery/cel'

/** The libraries of expressions in adapters: those of cel-go, and functions for conditions and feedback. */
export function adapterLibraries(now: () => Date): readonly CelLibrary[] {
  const secondsSince = (condition: CelMap | undefined): number | undefined => {
    const changed = condition?.field('last_transition_time') ?? condition?.field('lastTransitionTime')
    const time = typeof changed === 'string' ? Date.parse(changed) : Number.NaN
    return Number.isNaN(time) ? undefined : Math.floor((now().getTime() - time) / 1_000)
  }
  const library: CelLibrary = {
    name: 'hyperfleet.adapter',
    overloads: [
      overload('now_string', 'now() -> string', () =>
        now()
          .toISOString()
          .replace(/\.\d+Z$/, 'Z'),
      ),
      overload('toJson_dyn', 'toJson(dyn) -> string', (value: CelValue) => JSON.stringify(toJson(value))),
      overload('dig_dyn_string', 'dig(dyn, string) -> dyn', dig),
      overload('conditionStatus_list_string', 'conditionStatus(list(dyn), string) -> string', statusOf),
      overload(
        'conditionAge_list_string',
        'conditionAge(list(dyn), string) -> int',
        (conditions: CelList, type: string) => secondsSince(conditionOf(conditions, type)) ?? -1,
      ),
      overload(
        'stableFor_list_string_int',
        'stableFor(list(dyn), string, int) -> bool',
        (conditions: CelList, type: string, seconds: number) =>
          statusOf(conditions, type) === 'True' &&
          (secondsSince(conditionOf(conditions, type)) ?? -1) >= Number(seconds),
      ),
      overload('statusFeedbackValue_dyn_string', 'statusFeedbackValue(dyn, string) -> string', feedbackValue),
      overload('triState_bool_bool', 'triState(bool, bool) -> string', (isTrue: boolean, isFalse: boolean) =>
        isTrue ? 'True' : isFalse ? 'False' : 'Unknown',
      ),
    ],
  }
  return [...allLibraries, library]
}

/** The value at a path such as `status.conditions.0.type`; null if there is none. */
function dig(value: CelValue, path: string): CelValue {
  let current: CelValue | undefined = value
  for (const part of path.split('.').map((one) => one.trim())) {
    if (part === '') continue
    if (current instanceof CelMap) current = current.field(part)
    else if (current instanceof CelList)
      current = /^\d+$/.test(part) && Number(part) < current.length ? current.at(Number(part)) : undefined
    else return null
    if (current === undefined) return null
  }
  return current ?? null
}

function conditionOf(conditions: CelList, type: string): CelMap | undefined {
  for (const condition of conditions) {
    if (condition instanceof CelMap && condition.field('type') === type) return condition
  }
  return undefined
}

function statusOf(conditions: CelList, type: string): string {
  const status = conditionOf(conditions, type)?.field('status')
  return typeof status === 'string' ? status : 'Unknown'
}

/** The value of a feedback rule as a string; empty if it has not been reported. */
function feedbackValue(feedback: CelValue, name: string): string {
  const values = feedback instanceof CelMap ? feedback.field('values') : undefined
  if (!(values instanceof CelList)) return ''
  for (const entry of values) {
    if (!(entry instanceof CelMap) || entry.field('name') !== name) continue
    const value = entry.field('fieldValue')
    if (!(value instanceof CelMap)) continue
    const found = ['string', 'jsonRaw', 'integer', 'boolean']
      .map((key) => value.field(key))
      .find((one) => one !== undefined)
    return found === undefined ? '' : String(toJson(found))
  }
  return ''
}
