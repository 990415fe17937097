import { isObject } from '@orrery/kinds/values'
import { MaestroError } from '../errors.js'
import type { Json } from '../store/database.js'
import type { StatusReport } from './events.js'
import { isNull, membersOf } from './json-parts.js'

const DELETED = 'Deleted'
const SEQUENCE = /^\d{1,19}$/
const MAX_SEQUENCE = 2n ** 63n - 1n
const NO_CONDITIONS = Buffer.from('[]')

export interface Status {
  readonly conditions: Json
  readonly resourceStatus: Json | undefined
  /** The work is gone from the cluster. */
  readonly isDeleted: boolean
}

/** Splits the data of a status event. Throws `MaestroError`. */
export function readStatus({ id, sequenceId, data }: StatusReport): Status {
  if (!SEQUENCE.test(sequenceId) || BigInt(sequenceId) > MAX_SEQUENCE) {
    throw new MaestroError('BadRequest', `Unable to parse sequence ID: ${JSON.stringify(sequenceId)}`)
  }
  try {
    const members = membersOf(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
    const [conditions = NO_CONDITIONS, resourceStatus] = ['conditions', 'resourceStatus'].map((key) => {
      const value = members.get(key)
      return value === undefined || isNull(value) ? undefined : value
    })
    const parsed: unknown = JSON.parse(conditions.toString('utf8'))
    if (!Array.isArray(parsed)) throw new Error('conditions is not a list')
    const isDeleted = parsed.some((one) => isObject(one) && one.type === DELETED && one.status === 'True')
    return { conditions, resourceStatus, isDeleted }
  } catch (error) {
    throw new MaestroError(
      'Validation',
      `failed to decode the status of resource ${id} as JSON: ${(error as Error).message}`,
      { cause: error },
    )
  }
}
