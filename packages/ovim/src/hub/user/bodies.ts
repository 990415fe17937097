import type { JsonObject } from '@orrery/kinds'
import { fieldForbidden, isObject } from '@orrery/kinds/values'
import { StatusError } from '@orrery/kube'
import { type Fields, readMessage } from '../../wire/fields.js'
import { type FieldProblem, Problem } from '../server/problem.js'

/** Reads the fields of a body. Throws a problem that names every invalid and every unknown field. */
export function readBody<T>(body: unknown, known: readonly string[], read: (fields: Fields) => T): T {
  return readMessage('the request', body, (fields) => {
    for (const key of isObject(body) ? Object.keys(body as JsonObject) : []) {
      if (!known.includes(key))
        fields.errors.push(fieldForbidden(key, `unknown field: the fields are ${known.join(', ')}`))
    }
    return read(fields)
  })
}

/** Names the fields of the REST API in an error of the API server: `spec.networkName` is `network_name` here. */
export async function inRestNames<T>(names: Readonly<Record<string, string>>, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 422) throw error
    const causes = error.status.details?.causes ?? []
    const errors = causes.map(
      ({ field = '', message = '' }): FieldProblem => ({ field: restName(field, names), detail: message }),
    )
    const detail = errors.map((one) => `${one.field}: ${one.detail}`).join('; ') || error.message
    throw new Problem(422, detail, { errors, cause: error })
  }
}

/** Rules for whole objects are about their name. */
const WHOLE_OBJECT = '<nil>'

export function restName(field: string, names: Readonly<Record<string, string>>): string {
  if (field === WHOLE_OBJECT) return 'name'
  if (Object.hasOwn(names, field)) return names[field] as string
  const plain = field.replace(/^(spec|metadata)\.?/, '')
  return plain.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`)
}
