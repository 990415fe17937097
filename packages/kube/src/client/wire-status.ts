import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject, type Status, type StatusCause, type StatusDetails, type StatusReason } from '@orrery/kinds/values'

/** The `Status` that a server sent, without fields of the wrong type. `code` is the default. */
export function statusFrom(sent: JsonObject, code: number): Status {
  const { status, message, reason, details } = sent
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isObject(sent.metadata) ? sent.metadata : {},
    status: status === 'Success' ? 'Success' : 'Failure',
    ...texts({ message }),
    ...(typeof reason === 'string' && { reason: reason as StatusReason }),
    ...(isObject(details) && { details: detailsFrom(details) }),
    code: Number.isInteger(sent.code) ? (sent.code as number) : code,
  }
}

function detailsFrom({ name, group, kind, uid, causes, retryAfterSeconds }: JsonObject): StatusDetails {
  return {
    ...texts({ name, group, kind, uid }),
    ...(Array.isArray(causes) && { causes: causes.filter(isObject).map(causeFrom) }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  }
}

function causeFrom({ reason, message, field }: JsonObject): StatusCause {
  return texts({ reason, message, field })
}

function texts<K extends string>(values: Readonly<Record<K, JsonValue | undefined>>): { [key in K]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string')) as {
    [key in K]?: string
  }
}
