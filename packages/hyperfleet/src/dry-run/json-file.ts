import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'

/** The object in the text of a file. Throws an error that names the file. */
export function objectIn(text: string, file: string): JsonObject {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new AdapterError('Configuration', `${file} is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(parsed)) throw new AdapterError('Configuration', `${file} is not valid: it must contain one object`)
  return parsed as JsonObject
}
