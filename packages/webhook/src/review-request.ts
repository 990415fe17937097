import type { UserInfo, Write } from '@orrery/hub'
import type { JsonObject, KubeObject, ResourceType } from '@orrery/kinds'
import { badRequest, getOwn, isObject } from '@orrery/kinds/values'

/** The supported versions of AdmissionReview. They do not differ in the fields that are used here. */
const VERSIONS: ReadonlySet<unknown> = new Set(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])

/** The request of an AdmissionReview. */
export interface ReviewRequest {
  /** The version for the response. */
  readonly apiVersion: string
  readonly uid: string
  /** Undefined for operations other than CREATE and UPDATE. */
  readonly write: Write | undefined
}

/** The objects that a webhook is for. */
interface Reviewed {
  readonly kind: ResourceType
  /** Default none. */
  readonly subresources?: readonly string[]
}

/** Parses an AdmissionReview for a kind. Throws a `StatusError` if it is not valid. */
export function readReview(review: unknown, reviewed: Reviewed): ReviewRequest {
  const body = isObject(review) ? review : {}
  if (getOwn(body, 'kind') !== 'AdmissionReview' || !VERSIONS.has(getOwn(body, 'apiVersion'))) {
    throw badRequest('expected an AdmissionReview of admission.k8s.io/v1')
  }
  const request = memberOf(body, 'request')
  const uid = textOf(request, 'uid')
  if (uid === '') throw badRequest('request.uid is missing')
  checkResource(request, reviewed)
  return { apiVersion: textOf(body, 'apiVersion'), uid, write: writeOf(request) }
}

/** Rejects objects of other kinds, which a wrong configuration can send: the rule is not for them. */
function checkResource(request: JsonObject, { kind: { group, plural }, subresources = [] }: Reviewed): void {
  const resource = memberOf(request, 'resource')
  const asked = `${textOf(resource, 'resource')}.${textOf(resource, 'group')}`
  const subresource = textOf(request, 'subResource')
  if (asked === `${plural}.${group}` && ['', ...subresources].includes(subresource)) return
  const shown = subresource === '' ? asked : `${asked}/${subresource}`
  throw badRequest(`this webhook is for ${plural}.${group}, not for ${shown}: check its configuration`)
}

function writeOf(request: JsonObject): Write | undefined {
  const operation = textOf(request, 'operation')
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined
  return {
    object: objectOf(request, 'object'),
    oldObject: operation === 'UPDATE' ? objectOf(request, 'oldObject') : undefined,
    subresource: textOf(request, 'subResource'),
    user: requesterOf(memberOf(request, 'userInfo')),
  }
}

function objectOf(request: JsonObject, field: string): KubeObject {
  const object = memberOf(request, field)
  memberOf(object, 'metadata')
  return object as unknown as KubeObject
}

function requesterOf(user: JsonObject): UserInfo {
  const extra = getOwn(user, 'extra')
  const entries = isObject(extra) ? Object.entries(extra) : []
  return {
    username: textOf(user, 'username'),
    uid: textOf(user, 'uid'),
    groups: textsOf(getOwn(user, 'groups')),
    extra: Object.fromEntries(entries.map(([key, values]) => [key, textsOf(values)])),
  }
}

function memberOf(object: JsonObject, field: string): JsonObject {
  const member = getOwn(object, field)
  if (isObject(member)) return member
  throw badRequest(`the review has no ${field}`)
}

function textOf(object: JsonObject, field: string): string {
  const value = getOwn(object, field)
  return typeof value === 'string' ? value : ''
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
