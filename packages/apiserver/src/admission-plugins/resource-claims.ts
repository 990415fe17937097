import type { JsonObject } from '@orrery/kinds'
import { type FieldError, fieldForbidden, invalid, jsonEqual } from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import { forbiddenAccess } from '../authz/forbidden.js'
import type { AccessRequest, Authorizer, Identity } from '../identity/identity.js'
import { childOf, structsOf, textOf, textsOf } from '../kinds-rules/read.js'
import type { Store } from '../store/types.js'

const GROUP = 'resource.k8s.io'
const ADMIN_LABEL = 'resource.kubernetes.io/admin-access'
const NODE_NAME = 'authentication.kubernetes.io/node-name'

/**
 * Additional permissions for claims. Admin access to devices requires a labelled namespace. In the status, changing the
 * allocation requires `update` or `patch` on `resourceclaims/binding`, and reporting of a driver requires write
 * permissions on `resourceclaims/driver` with its name.
 */
export function resourceClaims(store: Store, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'ResourceClaims',
    validate(request) {
      const { resource, subresource, operation } = request
      if (resource.group !== GROUP || request.object === undefined) return
      const isClaim = resource.plural === 'resourceclaims'
      if (isClaim && subresource === 'status' && operation === 'UPDATE') return checkStatus(store, authorizer, request)
      if (operation !== 'CREATE' || (!isClaim && resource.plural !== 'resourceclaimtemplates')) return
      return refuseWith(request, adminErrors(store, request, requestedAdmin(request)))
    },
  }
}

async function checkStatus(store: Store, authorizer: Authorizer, request: AdmissionRequest): Promise<void> {
  const now = statusOf(request.object)
  const before = statusOf(request.oldObject)
  const errors: FieldError[] = []
  const results = allocatedAdmin(now)
  if (allocatedAdmin(before) === undefined) errors.push(...adminErrors(store, request, results))
  const verb = request.options.kind === 'PatchOptions' ? 'patch' : 'update'
  const access = (fields: Pick<AccessRequest, 'verb' | 'subresource' | 'namespace' | 'name'>): AccessRequest => ({
    identity: request.identity,
    group: GROUP,
    version: request.resource.version,
    resource: 'resourceclaims',
    path: '',
    isResource: true,
    ...fields,
  })
  if (!same(now.allocation, before.allocation) || !same(now.reservedFor, before.reservedFor)) {
    const asked = access({ verb, subresource: 'binding', namespace: '', name: '' })
    const { allowed, reason } = await authorizer.authorize(asked)
    const needs = `resource="resourceclaims/binding", verb="${verb}" permission`
    const what = `changing status.allocation or status.reservedFor requires ${needs}`
    if (!allowed) errors.push(fieldForbidden('status.allocation', `${what}: ${forbiddenAccess(asked, reason).message}`))
  }
  if (now.allocation !== undefined) {
    const verbs = isOnNode(request.identity, now)
      ? [`associated-node:${verb}`, `arbitrary-node:${verb}`]
      : [`arbitrary-node:${verb}`]
    for (const name of changedDrivers(now, before)) {
      const { namespace } = request
      const asked = verbs.map((one) => access({ verb: one, subresource: 'driver', namespace, name }))
      const decisions = await Promise.all(asked.map((one) => authorizer.authorize(one)))
      if (decisions.some(({ allowed }) => allowed)) continue
      const why = forbiddenAccess(asked[0] as AccessRequest, decisions[0]?.reason ?? '').message
      const needs = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`
      errors.push(fieldForbidden('status.devices', `changing status.devices requires ${needs}: ${why}`))
    }
  }
  refuseWith(request, errors)
}

const statusOf = (claim: unknown): JsonObject => childOf(claim as JsonObject, 'status') ?? {}
const same = (a: unknown, b: unknown) => jsonEqual(a ?? null, b ?? null)

/** Returns where a claim or a template first requests admin access. */
function requestedAdmin({ object, resource }: AdmissionRequest): string | undefined {
  const spec = childOf(object as unknown as JsonObject, 'spec')
  const devices = childOf(resource.plural === 'resourceclaims' ? spec : childOf(spec, 'spec'), 'devices')
  const index = structsOf(devices, 'requests').findIndex((one) => childOf(one, 'exactly')?.adminAccess === true)
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`
}

/** Returns where an allocation first grants admin access. */
function allocatedAdmin(status: JsonObject): string | undefined {
  const results = structsOf(childOf(childOf(status, 'allocation'), 'devices'), 'results')
  const index = results.findIndex(({ adminAccess }) => adminAccess === true)
  return index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`
}

function adminErrors(store: Store, { namespace }: AdmissionRequest, at: string | undefined): FieldError[] {
  if (at === undefined) return []
  const { labels } = store.head('namespaces', '', namespace)?.object().metadata ?? {}
  if (labels?.[ADMIN_LABEL] === 'true') return []
  const detail = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`
  return [fieldForbidden(at, detail)]
}

/** Returns whether the user is a service account of the node on which the devices are allocated. */
function isOnNode({ username, extra }: Identity, status: JsonObject): boolean {
  const nodes = extra[NODE_NAME] ?? []
  const isAccount = username.startsWith('system:serviceaccount:')
  return isAccount && nodes.length === 1 && nodes[0] === allocatedNode(status)
}

/** Returns the node of an allocation, if it names exactly one. */
function allocatedNode(status: JsonObject): string | undefined {
  const terms = structsOf(childOf(childOf(status, 'allocation'), 'nodeSelector'), 'nodeSelectorTerms')
  const fields = structsOf(terms[0], 'matchFields')
  if (terms.length !== 1 || fields.length !== 1 || structsOf(terms[0], 'matchExpressions').length > 0) return undefined
  const [field] = fields
  const values = textsOf(field, 'values')
  const isName = textOf(field, 'key') === 'metadata.name' && textOf(field, 'operator') === 'In'
  return isName && values.length === 1 ? values[0] : undefined
}

function changedDrivers(now: JsonObject, before: JsonObject): string[] {
  const known = structsOf(before, 'devices')
  const reported = structsOf(now, 'devices')
  const differing = (from: readonly JsonObject[], others: readonly JsonObject[]) =>
    from.filter((one) => !others.some((other) => jsonEqual(one, other))).map((one) => textOf(one, 'driver'))
  return [...new Set([...differing(reported, known), ...differing(known, reported)])].sort()
}

function refuseWith({ resource, name, object }: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(resource, name || object?.metadata.name || '', errors)
}
