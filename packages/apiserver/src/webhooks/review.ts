import type { JsonObject, KubeObject } from '@orrery/kinds'
import { getOwn, isObject, parseGroupVersion, type Status } from '@orrery/kinds/values'
import type { AdmissionRequest } from '../admission/types.js'
import type { Identity } from '../identity/identity.js'
import type { Resource } from '../kinds/resource.js'

const GROUP = 'admission.k8s.io'

/** The response of a webhook. */
export interface ReviewAnswer {
  readonly allowed: boolean
  readonly result: Partial<Status> | undefined
  /** A JSON patch as bytes; empty if there is none. */
  readonly patch: Buffer
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

/** Returns the first AdmissionReview version that both sides support. */
export function reviewVersion(accepted: readonly string[] = []): 'v1' | 'v1beta1' | undefined {
  return accepted.find((version) => version === 'v1' || version === 'v1beta1') as 'v1' | 'v1beta1' | undefined
}

/** Returns the request of a review without UID and objects, as match conditions see it. */
export function reviewRequest(request: AdmissionRequest, resource: Resource): JsonObject {
  const { subresource, name, operation, identity, dryRun, options } = request
  const namespace = request.resource.storage.bucket === 'namespaces' ? name : request.namespace
  return {
    kind: kindOf(request, resource),
    resource: { group: resource.group, version: resource.version, resource: resource.plural },
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindOf(request, request.resource),
    requestResource: {
      group: request.resource.group,
      version: request.resource.version,
      resource: request.resource.plural,
    },
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(identity),
    dryRun,
    options: operation === 'CONNECT' ? null : options,
  }
}

/** Returns a review to send. */
export function admissionReview(
  version: 'v1' | 'v1beta1',
  uid: string,
  request: JsonObject,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): object {
  const { kind, resource, ...rest } = request
  return {
    kind: 'AdmissionReview',
    apiVersion: `${GROUP}/${version}`,
    request: { uid, kind, resource, ...rest, object: object ?? null, oldObject: oldObject ?? null },
  }
}

function kindOf({ subresource, object, oldObject }: AdmissionRequest, resource: Resource): JsonObject {
  const own = { group: resource.group, version: resource.version, kind: resource.kind }
  if (subresource === '') return own
  const shown = object ?? oldObject
  if (shown === undefined || shown.kind === resource.kind) return own
  return { ...(parseGroupVersion(shown.apiVersion) ?? { group: '', version: shown.apiVersion }), kind: shown.kind }
}

function userInfo({ username, uid, groups, extra }: Identity): JsonObject {
  const copy: JsonObject = {}
  for (const [key, values] of Object.entries(extra)) copy[key] = [...values]
  return {
    ...(username !== '' && { username }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(copy).length > 0 && { extra: copy }),
  }
}

/** The maximum number of warnings, and of audit annotations, of one response. Further ones are dropped. */
const MAX_REMARKS = 100

/** Parses the response of a webhook. Throws an `Error` with the problem. */
export function readAnswer(answer: unknown, version: 'v1' | 'v1beta1', uid: string, mutating: boolean): ReviewAnswer {
  const review = isObject(answer) ? answer : {}
  const response = getOwn(review, 'response')
  if (!isObject(response)) throw new Error('webhook response was absent')
  const patch = Buffer.from(text(response, 'patch'), 'base64')
  if (version === 'v1') checkStrictly(review, response, uid, mutating, patch.length > 0)
  const result = getOwn(response, 'status')
  const warnings = getOwn(response, 'warnings')
  return {
    allowed: getOwn(response, 'allowed') === true,
    result: isObject(result) ? (result as Partial<Status>) : undefined,
    patch: mutating ? patch : Buffer.alloc(0),
    warnings: Array.isArray(warnings)
      ? warnings.slice(0, MAX_REMARKS).filter((warning) => typeof warning === 'string')
      : [],
    auditAnnotations: textMap(getOwn(response, 'auditAnnotations')),
  }
}

function checkStrictly(
  review: JsonObject,
  response: JsonObject,
  uid: string,
  mutating: boolean,
  hasPatch: boolean,
): void {
  const answered = text(response, 'uid')
  if (answered !== uid) throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`)
  const { group, version } = parseGroupVersion(text(review, 'apiVersion')) ?? { group: '', version: '' }
  const kind = text(review, 'kind')
  if (group !== GROUP || version !== 'v1' || kind !== 'AdmissionReview') {
    const expected = `${GROUP}/v1, Kind=AdmissionReview`
    throw new Error(`expected webhook response of ${expected}, got ${group}/${version}, Kind=${kind}`)
  }
  const patchType = getOwn(response, 'patchType') ?? undefined
  if (!mutating) {
    if (hasPatch) throw new Error('validating webhook may not return response.patch')
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType')
    return
  }
  if (hasPatch && patchType === undefined) throw new Error('webhook returned response.patch but not response.patchType')
  if (!hasPatch && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch')
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""')
  if (patchType !== undefined && patchType !== 'JSONPatch')
    throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`)
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key)
  return typeof value === 'string' ? value : ''
}

function textMap(value: unknown): Record<string, string> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .slice(0, MAX_REMARKS),
  )
}
