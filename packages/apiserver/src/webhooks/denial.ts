import type { JsonObject } from '@orrery/kinds'
import { getOwn, isObject, type Status, type StatusDetails, StatusError, type StatusReason } from '@orrery/kinds/values'

const BAD_REQUEST = 400
const LAST_CODE = 599
/** Policies list what they refuse, so messages can be long. */
const MAX_MESSAGE = 64 * 1024
const MAX_TEXT = 1_024
const MAX_CAUSES = 1_000

/** Returns the error of a request that a webhook denies, with what is valid of the `status` in its response. */
export function denial(name: string, result: unknown): StatusError {
  const status = isObject(result) ? result : {}
  const by = `admission webhook ${JSON.stringify(name)} denied the request`
  const reason = textIn(status, 'reason')
  const why = textIn(status, 'message', MAX_MESSAGE) ?? reason
  const details = detailsIn(getOwn(status, 'details'))
  const code = getOwn(status, 'code')
  const error: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: why === undefined ? `${by} without explanation` : `${by}: ${why}`,
    code:
      Number.isInteger(code) && Number(code) >= BAD_REQUEST && Number(code) <= LAST_CODE ? Number(code) : BAD_REQUEST,
  }
  if (reason !== undefined) error.reason = reason as StatusReason
  if (details !== undefined) error.details = details
  return new StatusError(error)
}

function detailsIn(value: unknown): StatusDetails | undefined {
  if (!isObject(value)) return undefined
  const causes = getOwn(value, 'causes')
  const retryAfterSeconds = getOwn(value, 'retryAfterSeconds')
  return {
    ...textsIn(value, ['name', 'group', 'kind', 'uid']),
    ...(Array.isArray(causes) && {
      causes: causes
        .slice(0, MAX_CAUSES)
        .filter(isObject)
        .map((cause) => textsIn(cause, ['reason', 'message', 'field'])),
    }),
    ...(isSeconds(retryAfterSeconds) && { retryAfterSeconds }),
  }
}

const MAX_SECONDS = 2 ** 31 - 1

function isSeconds(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_SECONDS
}

function textsIn<Name extends string>(object: JsonObject, names: readonly Name[]): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const text = textIn(object, name)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

/** Returns the text of a field; undefined if it is empty or something else. */
function textIn(object: JsonObject, name: string, limit = MAX_TEXT): string | undefined {
  const value = getOwn(object, name)
  return typeof value === 'string' && value !== '' ? value.slice(0, limit) : undefined
}
