import type { KubeObject } from '@orrery/kinds'
import { badRequest, type FieldError, fieldInvalid, invalid } from '@orrery/kinds/values'
import type { AccessRequest, Authorizer, Identity } from '../identity/identity.js'
import type { RbacAuthorizer } from './rbac.js'

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

interface NonResourceAttributes {
  readonly path?: string
  readonly verb?: string
}

interface AccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes | null
  readonly nonResourceAttributes?: NonResourceAttributes | null
  readonly user?: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

const GROUP = 'authorization.k8s.io'

/** Answers a SubjectAccessReview. */
export async function reviewSubjectAccess(review: KubeObject, authorizer: Authorizer): Promise<KubeObject> {
  const spec = specOf(review)
  check(review, [...attributeErrors(spec), ...subjectErrors(spec), ...metadataErrors(review, false)])
  return answer(review, accessRequest(spec, subjectOf(spec)), authorizer)
}

/** Answers a LocalSubjectAccessReview: a SubjectAccessReview within the namespace of the URL. */
export async function reviewLocalSubjectAccess(
  review: KubeObject,
  namespace: string,
  authorizer: Authorizer,
): Promise<KubeObject> {
  const spec = specOf(review)
  check(review, [
    ...attributeErrors(spec),
    ...subjectErrors(spec),
    ...metadataErrors(review, true),
    ...localErrors(spec, namespace),
  ])
  return answer(review, accessRequest(spec, subjectOf(spec)), authorizer)
}

/** Answers a SelfSubjectAccessReview (`kubectl auth can-i`). */
export async function reviewSelfAccess(
  review: KubeObject,
  self: Identity,
  authorizer: Authorizer,
): Promise<KubeObject> {
  const spec = specOf(review)
  check(review, [...attributeErrors(spec), ...metadataErrors(review, false)])
  return answer(review, accessRequest(spec, self), authorizer)
}

/** Answers a SelfSubjectRulesReview (`kubectl auth can-i --list`). */
export function reviewSelfRules(review: KubeObject, self: Identity, rbac: RbacAuthorizer): KubeObject {
  const { namespace = '' } = (review.spec ?? {}) as { namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const { rules, problems } = rbac.rulesFor(self, namespace)
  const resourceRules = rules
    .filter(({ resources }) => (resources?.length ?? 0) > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      ...(apiGroups?.length ? { apiGroups } : {}),
      resources,
      ...(resourceNames?.length ? { resourceNames } : {}),
    }))
  const nonResourceRules = rules
    .filter(({ nonResourceURLs }) => (nonResourceURLs?.length ?? 0) > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }))
  const evaluationError = problems.length === 0 ? {} : { evaluationError: joinProblems(problems) }
  return {
    kind: review.kind,
    apiVersion: review.apiVersion,
    metadata: {},
    spec: {},
    status: { resourceRules, nonResourceRules, incomplete: false, ...evaluationError },
  }
}

function specOf(review: KubeObject): AccessReviewSpec {
  return (review.spec ?? {}) as AccessReviewSpec
}

function subjectOf({ user = '', uid = '', groups = [], extra = {} }: AccessReviewSpec): Identity {
  return { username: user, uid, groups, extra }
}

function accessRequest(spec: AccessReviewSpec, identity: Identity): AccessRequest {
  const { verb = '', path = '' } = spec.nonResourceAttributes ?? {}
  const about = spec.resourceAttributes
  if (about === undefined || about === null) {
    const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
    return { identity, verb, path, isResource: false, ...none }
  }
  return {
    identity,
    verb: about.verb ?? '',
    group: about.group ?? '',
    version: about.version || '*',
    resource: about.resource ?? '',
    subresource: about.subresource ?? '',
    namespace: about.namespace ?? '',
    name: about.name ?? '',
    path: '',
    isResource: true,
  }
}

async function answer(review: KubeObject, request: AccessRequest, authorizer: Authorizer): Promise<KubeObject> {
  const { allowed, reason } = await authorizer.authorize(request)
  return { ...review, status: reason === '' ? { allowed } : { allowed, reason } }
}

function check(review: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: GROUP, kind: review.kind }, '', errors)
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): FieldError[] {
  if (resourceAttributes != null && nonResourceAttributes != null) {
    const detail = 'cannot be specified in combination with resourceAttributes'
    return [fieldInvalid('spec.nonResourceAttributes', nonResourceAttributes, detail)]
  }
  if (resourceAttributes != null || nonResourceAttributes != null) return []
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [fieldInvalid('spec.resourceAttributes', null, detail)]
}

function subjectErrors({ user = '', groups = [] }: AccessReviewSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return []
  return [fieldInvalid('spec.user', user, 'at least one of user or group must be specified')]
}

/** A review is not stored, so it has no name and no labels. */
function metadataErrors({ metadata }: KubeObject, namespaced: boolean): FieldError[] {
  const ignored = new Set(['managedFields', 'creationTimestamp', ...(namespaced ? ['namespace'] : [])])
  const isEmpty = Object.entries(metadata).every(
    ([key, value]) => ignored.has(key) || value === undefined || value === '',
  )
  if (isEmpty) return []
  return [fieldInvalid('metadata', metadata, namespaced ? 'must be empty except for namespace' : 'must be empty')]
}

function localErrors({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec, namespace: string): FieldError[] {
  const errors: FieldError[] = []
  const asked = resourceAttributes?.namespace ?? ''
  if (resourceAttributes != null && asked !== namespace) {
    errors.push(fieldInvalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes != null) {
    errors.push(fieldInvalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'))
  }
  return errors
}

function joinProblems(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`
}
