import { type ManagedCluster, type ManagedClusterAddOn, VALUES_ANNOTATION } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { getOwn, isObject, setOwn } from '@orrery/kinds/values'
import type { AddonContext } from '../agent-addon.js'

/** Values for the templates of an add-on. */
export type Values = Readonly<JsonObject>

/** Determines values for one cluster. */
export type ValuesSource = (
  cluster: ManagedCluster,
  addon: ManagedClusterAddOn,
  context: AddonContext,
) => Values | undefined | Promise<Values | undefined>

/** Merges values: later ones override earlier ones, objects are merged field by field, and lists are replaced as a whole. */
export function mergeValues(...all: readonly (Values | undefined)[]): JsonObject {
  const merged: JsonObject = {}
  for (const values of all) {
    for (const [key, value] of Object.entries(values ?? {})) {
      const before = getOwn(merged, key)
      setOwn(merged, key, isObject(before) && isObject(value) ? mergeValues(before, value) : value)
    }
  }
  return merged
}

/** The values of several sources, merged in their order. */
export async function collectValues(
  sources: readonly (Values | ValuesSource)[],
  cluster: ManagedCluster,
  addon: ManagedClusterAddOn,
  context: AddonContext,
): Promise<JsonObject> {
  const all: (Values | undefined)[] = []
  for (const source of sources) {
    all.push(typeof source === 'function' ? await source(cluster, addon, context) : source)
  }
  return mergeValues(...all)
}

/** The values in the annotation `addon.open-cluster-management.io/values` of the ManagedClusterAddOn: a JSON object. */
export const annotationValues: ValuesSource = (_cluster, { metadata: { annotations } }) => {
  const text = annotations?.[VALUES_ANNOTATION] ?? ''
  if (text === '') return undefined
  const wrong = (problem: string) => new Error(`the annotation ${VALUES_ANNOTATION} is not valid: ${problem}`)
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch (error) {
    throw wrong((error as Error).message)
  }
  if (!isObject(values)) throw wrong('it has to be a JSON object, such as {"Image":"quay.io/example/agent:v1"}')
  return values
}
