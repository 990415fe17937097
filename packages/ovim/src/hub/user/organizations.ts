import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Organization, type OrganizationSubject } from '../../kinds/organization.js'
import { Template } from '../../kinds/template.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { type Fields, present } from '../../wire/fields.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { accessTo } from '../access/permissions.js'
import { fieldProblem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { inRestNames, readBody } from './bodies.js'
import type { UserContext } from './context.js'
import { membersJson, organizationJson, templateJson, vdcUsageJson } from './resources.js'

const FIELDS = ['display_name', 'description', 'is_enabled', 'admins', 'users', 'catalogs']
const NAMES = { 'metadata.name': 'name' }
const KINDS = ['User', 'Group', 'ServiceAccount'] as const

/** Organizations. Only system admins create, change and delete them. */
export function organizationRoutes(context: UserContext): RouteSpec[] {
  const { client, informers, permissions } = context
  const kind = Organization as never
  const find = ({ caller, params }: Call) => context.find(caller, Organization, params.id ?? '')

  const list = async ({ caller }: Call): Promise<Answer> => {
    const all = informers.of(Organization).list()
    const mayListAll = await permissions.allows(caller, accessTo('list', kind))
    const own = mayListAll ? all : await getable(context, caller)
    return { status: 200, body: { organizations: own.map(organizationJson), total: own.length } }
  }

  const create = async ({ caller, body }: Call): Promise<Answer> => {
    const { name, spec } = readBody(await body(), ['name', ...FIELDS], (fields) => ({
      name: fields.requiredText('name'),
      spec: specOf(fields),
    }))
    await context.require(caller, 'create', kind, { name })
    const created = client.create(Organization, { metadata: { name }, spec }, { fieldValidation: 'Strict' })
    return {
      status: 201,
      headers: { location: `/api/v1/organizations/${name}` },
      body: organizationJson(await inRestNames(NAMES, created)),
    }
  }

  const update = async (call: Call): Promise<Answer> => {
    const spec = readBody(await call.body(), FIELDS, specOf)
    const { name } = (await find(call)).metadata
    await context.require(call.caller, 'patch', kind, { name })
    const patched = client.patch(Organization, { name }, { spec }, { fieldValidation: 'Strict' })
    return { status: 200, body: organizationJson(await inRestNames(NAMES, patched)) }
  }

  const remove = async (call: Call): Promise<Answer> => {
    const { name, uid } = (await find(call)).metadata
    await context.require(call.caller, 'delete', kind, { name })
    await client.delete(Organization, { name }, { preconditions: { uid } })
    return { status: 202, body: { id: name, status: 'Terminating' } }
  }

  const status = async (call: Call): Promise<Answer> => {
    const { metadata, status: { phase = 'Pending', conditions = [], counts } = {} } = await find(call)
    return { status: 200, body: { id: metadata.name, status: phase, conditions, counts } }
  }

  const users = async (call: Call): Promise<Answer> => {
    const members = membersJson(await find(call))
    return { status: 200, body: { users: members, total: members.length } }
  }

  const resources = async (call: Call): Promise<Answer> => {
    const { name } = (await find(call)).metadata
    const vdcs = await context.list(call.caller, VirtualDataCenter, name)
    const body = { id: name, vdcs: vdcs.map((vdc) => ({ id: `${name}.${vdc.metadata.name}`, ...vdcUsageJson(vdc) })) }
    return { status: 200, body }
  }

  const templates = async (call: Call): Promise<Answer> => {
    const { name } = (await find(call)).metadata
    const own = await context.list(call.caller, Template, name)
    const mayReadPublic = await permissions.allows(
      call.caller,
      accessTo('list', Template, { namespace: SYSTEM_NAMESPACE }),
    )
    const usable = mayReadPublic ? [...own, ...informers.of(Template).list(SYSTEM_NAMESPACE)] : own
    return { status: 200, body: { templates: usable.map(templateJson), total: usable.length } }
  }

  return [
    { path: '/api/v1/organizations', methods: { GET: list, POST: create } },
    {
      path: '/api/v1/organizations/{id}',
      methods: {
        GET: async (call) => ({ status: 200, body: organizationJson(await find(call)) }),
        PUT: update,
        PATCH: update,
        DELETE: remove,
      },
    },
    { path: '/api/v1/organizations/{id}/status', methods: { GET: status } },
    { path: '/api/v1/organizations/{id}/users', methods: { GET: users } },
    { path: '/api/v1/organizations/{id}/resources', methods: { GET: resources } },
    { path: '/api/v1/organizations/{id}/catalog/templates', methods: { GET: templates } },
    { path: '/api/v1/profile/organization', methods: { GET: (call) => profile(context, call) } },
  ]
}

/** The organizations of a caller that the caller may get. */
async function getable(context: UserContext, caller: Call['caller']): Promise<Organization[]> {
  const own = context.organizationsOf(caller)
  const allowed = await Promise.all(
    own.map(({ metadata: { name } }) => context.permissions.allows(caller, accessTo('get', Organization, { name }))),
  )
  return own.filter((_, index) => allowed[index])
}

async function profile(context: UserContext, { caller }: Call): Promise<Answer> {
  const own = await getable(context, caller)
  return {
    status: 200,
    body: {
      username: caller.username,
      organizations: own.map(organizationJson),
      namespaces: own.map(({ metadata }) => organizationNamespace(metadata.name)),
    },
  }
}

function specOf(fields: Fields) {
  return present({
    displayName: fields.text('display_name'),
    description: fields.text('description'),
    isEnabled: fields.boolean('is_enabled'),
    admins: subjectsOf(fields, 'admins'),
    users: subjectsOf(fields, 'users'),
    catalogs: fields.textList('catalogs'),
  })
}

/** A plain string is the name of a user. */
function subjectsOf(fields: Fields, key: string): OrganizationSubject[] | undefined {
  const given = fields.value(key)
  if (given === undefined) return undefined
  if (!Array.isArray(given)) throw fieldProblem(key, 'must be a list of users')
  return given.map((one, index): OrganizationSubject => {
    if (typeof one === 'string') return { kind: 'User', name: one }
    const { kind = 'User', name, namespace } = (one ?? {}) as Record<string, unknown>
    const known = KINDS.find((candidate) => candidate === kind)
    if (known === undefined || typeof name !== 'string' || (namespace !== undefined && typeof namespace !== 'string')) {
      throw fieldProblem(
        `${key}[${index}]`,
        'must be the name of a user, or {kind: User, Group or ServiceAccount, name, namespace}',
      )
    }
    return { kind: known, name, ...(namespace !== undefined && { namespace }) }
  })
}
