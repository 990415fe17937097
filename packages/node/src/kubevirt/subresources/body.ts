import type { JsonObject } from '@orrery/kinds'
import { badRequest, isObject } from '@orrery/kinds/values'

/** Returns the options in the body of a request. An empty body has none. */
export function optionsIn(body: Buffer): JsonObject {
  if (body.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw badRequest(`Can not unmarshal Request body to struct, error: ${(error as Error).message}`)
  }
  if (value === null) return {}
  if (!isObject(value)) throw badRequest('Can not unmarshal Request body to struct, error: it is not an object')
  return value as JsonObject
}

/** Returns a number of seconds; undefined if there is none. */
export function secondsIn(options: JsonObject, field: string): number | undefined {
  const value = options[field] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value)) throw badRequest(`${field} must be a whole number`)
  if (value < 0) throw badRequest(`${field} has to be greater or equal to 0`)
  return value
}

export function flagIn(options: JsonObject, field: string): boolean {
  const value = options[field] ?? false
  if (typeof value !== 'boolean') throw badRequest(`${field} must be true or false`)
  return value
}

/** Returns whether nothing must be changed: `dryRun: ["All"]`. */
export function isDryRun({ dryRun = [] }: JsonObject): boolean {
  const stages = Array.isArray(dryRun) ? dryRun : [dryRun]
  const unknown = stages.find((stage) => stage !== 'All' && stage !== null)
  if (unknown !== undefined) throw badRequest(`dryRun ${JSON.stringify(unknown)} is not supported: use ["All"]`)
  return stages.includes('All')
}
