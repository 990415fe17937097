import { type AuthorizerAnswer, type AuthorizerQuestion, CelAuthorizer, resourceCheckType } from '@orrery/cel'
import type { KubeObject } from '@orrery/kinds'
import { cloneJson, forbidden, formatGroupVersion, internalError, notFound } from '@orrery/kinds/values'
import type { AdmissionRequest } from '../admission/types.js'
import type { Authorizer, Identity } from '../identity/identity.js'
import { serviceAccountGroups, serviceAccountUsername } from '../identity/service-accounts.js'
import type { Resource } from '../kinds/resource.js'
import type { Catalog } from '../registry/catalog.js'
import type { KindLogic } from '../registry/kind-logic.js'
import { waitingLogic } from '../registry/waiting-logic.js'
import type { Store } from '../store/types.js'
import { reviewRequest } from './review.js'
import { type RuleInput, ruleMatches } from './rules.js'
import type { Webhook } from './webhook.js'

export interface InvocationContext {
  readonly store: Store
  readonly catalog: Catalog
  readonly authorizer: Authorizer
}

/** A webhook to call for a request, and the resource version that it expects. */
export interface Invocation {
  readonly webhook: Webhook
  readonly resource: Resource
}

/** Decides whether to call a webhook. Throws if that cannot be decided. */
export async function invocationOf(
  context: InvocationContext,
  webhook: Webhook,
  request: AdmissionRequest,
): Promise<Invocation | undefined> {
  const resource = matchedResource(context, webhook, request)
  if (resource === undefined || !objectMatches(webhook, request) || !namespaceMatches(context, webhook, request)) {
    return undefined
  }
  if (webhook.conditions.isEmpty) return { webhook, resource }
  const holds = await conditionsHold(context, webhook, resource, request)
  return holds ? { webhook, resource } : undefined
}

/** Returns the resource that a rule matches: as requested, or at an equivalent version. */
function matchedResource(
  { catalog }: InvocationContext,
  { spec }: Webhook,
  request: AdmissionRequest,
): Resource | undefined {
  const { resource } = request
  const { rules = [], matchPolicy = 'Equivalent' } = spec
  const own = ruleInput(request, resource)
  if (rules.some((rule) => ruleMatches(rule, own))) return resource
  if (matchPolicy !== 'Equivalent') return undefined
  const equivalents = catalog
    .resources()
    .filter((other) => other.storage.bucket === resource.storage.bucket && other.version !== resource.version)
  for (const rule of rules) {
    const found = equivalents.find((other) => ruleMatches(rule, ruleInput(request, other)))
    if (found !== undefined) return found
  }
  return undefined
}

function ruleInput({ operation, subresource, namespace }: AdmissionRequest, resource: Resource): RuleInput {
  const { group, version, plural } = resource
  const isNamespaced = namespace !== '' && !isNamespaces(resource)
  return { operation, group, version, resource: plural, subresource, isNamespaced }
}

function isNamespaces({ group, plural }: Resource): boolean {
  return group === '' && plural === 'namespaces'
}

function objectMatches({ objectSelector }: Webhook, { object, oldObject }: AdmissionRequest): boolean {
  if (objectSelector.requirements.length === 0) return true
  // The options of a connection have no metadata, and no selector matches them.
  return [object, oldObject].some(
    (one) => one !== undefined && 'metadata' in one && objectSelector.matches(one.metadata.labels ?? {}),
  )
}

function namespaceMatches(
  { store }: InvocationContext,
  { namespaceSelector }: Webhook,
  request: AdmissionRequest,
): boolean {
  const { resource, namespace, operation, subresource, object } = request
  const isNamespace = isNamespaces(resource)
  if ((namespace === '' && !isNamespace) || namespaceSelector.requirements.length === 0) return true
  // A write of a namespace is matched with the labels that it will have.
  if (isNamespace && subresource === '' && operation !== 'DELETE')
    return namespaceSelector.matches(object?.metadata.labels ?? {})
  const name = isNamespace ? request.name : namespace
  const found = store.head('namespaces', '', name)?.object()
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name)
  return namespaceSelector.matches(found.metadata.labels ?? {})
}

async function conditionsHold(
  context: InvocationContext,
  webhook: Webhook,
  resource: Resource,
  request: AdmissionRequest,
): Promise<boolean> {
  const [object, oldObject] = await versionedObjects(context, resource, request)
  const authorizer = new CelAuthorizer((question) => answer(context.authorizer, request.identity, question))
  const { group, plural } = request.resource
  const { namespace, name, subresource } = request
  const requestResource = authorizer.with({ group, resource: plural, subresource, namespace, name }, resourceCheckType)
  try {
    return webhook.conditions.hold({
      object: object ?? null,
      oldObject: oldObject ?? null,
      request: reviewRequest(request, resource),
      authorizer,
      requestResource,
    })
  } catch (error) {
    if (webhook.ignoresFailures) return false
    throw forbidden({ group, resource: plural }, name, error instanceof Error ? error.message : String(error))
  }
}

function answer(authorizer: Authorizer, requester: Identity, question: AuthorizerQuestion): AuthorizerAnswer {
  const {
    serviceAccount,
    path = '',
    group = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
    verb,
  } = question
  const identity: Identity =
    serviceAccount === undefined
      ? requester
      : {
          username: serviceAccountUsername(serviceAccount.namespace, serviceAccount.name),
          uid: '',
          groups: [...serviceAccountGroups(serviceAccount.namespace), 'system:authenticated'],
          extra: {},
        }
  const isResource = path === ''
  const asked = { identity, verb, group, version: '*', resource, subresource, namespace, name, path, isResource }
  const decision = authorizer.authorize(asked)
  if (decision instanceof Promise)
    return { allowed: false, reason: '', error: 'the authorizer has to wait for its answer' }
  return decision
}

/** Returns the new and the old object in the version that a webhook expects. */
export async function versionedObjects(
  { catalog }: InvocationContext,
  resource: Resource,
  request: AdmissionRequest,
): Promise<readonly [KubeObject | undefined, KubeObject | undefined]> {
  const { object, oldObject, resource: requested } = request
  if (resource === requested) return [object, oldObject]
  const from = logicFor(catalog, requested, request)
  const to = logicFor(catalog, resource, request)
  return [object && (await converted(object, from, to)), oldObject && (await converted(oldObject, from, to))]
}

/** Converts an object to another version of its resource. */
export async function converted(object: KubeObject, from: KindLogic, to: KindLogic): Promise<KubeObject> {
  const { group, version } = from.resource
  // Subresources can have their own kind, which has no other version.
  if (object.apiVersion !== formatGroupVersion(group, version)) return object
  return to.fromStorage(await from.toStorage(cloneJson(object)))
}

/** Returns the logic of a resource for an object of this request. */
export function logicFor(catalog: Catalog, resource: Resource, request: AdmissionRequest): KindLogic {
  return waitingLogic(logicOf(catalog, resource), (answer) => request.waitFor(answer))
}

function logicOf(catalog: Catalog, { group, version, plural }: Resource): KindLogic {
  const logic = catalog.lookup(group, version, plural)
  if (logic === undefined)
    throw internalError(`unable to convert to ${group}/${version}, Resource=${plural}: unknown kind`)
  return logic
}
