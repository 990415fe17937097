import { Catalog } from '../../kinds/catalog.js'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { type Fields, present } from '../../wire/fields.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { inRestNames, readBody } from './bodies.js'
import type { UserContext } from './context.js'
import { PUBLIC } from './ids.js'
import { catalogJson } from './resources.js'
import { visibleObjects } from './visible.js'

const UPDATE_FIELDS = ['display_name', 'description', 'is_enabled', 'templates', 'organizations']
const NAMES = { 'metadata.name': 'name' }

/** Catalogs: those of the caller's organizations and the public ones. */
export function catalogRoutes(context: UserContext): RouteSpec[] {
  const { client } = context
  const kind = Catalog as never
  const find = ({ caller, params }: Call) => context.find(caller, Catalog, params.id ?? '')

  const list = async (call: Call): Promise<Answer> => {
    const sources = (await visibleObjects(context, call, Catalog)).map(catalogJson)
    return { status: 200, body: { sources, total: sources.length } }
  }

  const create = async ({ caller, body }: Call): Promise<Answer> => {
    const { name, organization, spec } = readBody(await body(), ['name', 'org_id', ...UPDATE_FIELDS], (fields) => ({
      name: fields.requiredText('name'),
      organization: fields.requiredText('org_id'),
      spec: specOf(fields),
    }))
    const namespace = organization === PUBLIC ? SYSTEM_NAMESPACE : organizationNamespace(organization)
    await context.require(caller, 'create', kind, { namespace })
    const created = client.create(Catalog, { metadata: { namespace, name }, spec }, { fieldValidation: 'Strict' })
    return {
      status: 201,
      headers: { location: `/api/v1/catalog/sources/${organization}.${name}` },
      body: catalogJson(await inRestNames(NAMES, created)),
    }
  }

  const update = async (call: Call): Promise<Answer> => {
    const spec = readBody(await call.body(), UPDATE_FIELDS, specOf)
    const { namespace, name } = (await find(call)).metadata
    await context.require(call.caller, 'patch', kind, { namespace, name })
    const patched = client.patch(Catalog, { namespace, name }, { spec }, { fieldValidation: 'Strict' })
    return { status: 200, body: catalogJson(await inRestNames(NAMES, patched)) }
  }

  const remove = async (call: Call): Promise<Answer> => {
    const { namespace, name, uid } = (await find(call)).metadata
    await context.require(call.caller, 'delete', kind, { namespace, name })
    await client.delete(Catalog, { namespace, name }, { preconditions: { uid } })
    return { status: 204 }
  }

  return [
    { path: '/api/v1/catalog/sources', methods: { GET: list, POST: create } },
    {
      path: '/api/v1/catalog/sources/{id}',
      methods: {
        GET: async (call) => ({ status: 200, body: catalogJson(await find(call)) }),
        PUT: update,
        PATCH: update,
        DELETE: remove,
      },
    },
  ]
}

function specOf(fields: Fields) {
  return present({
    displayName: fields.text('display_name'),
    description: fields.text('description'),
    isEnabled: fields.boolean('is_enabled'),
    templates: fields.textList('templates'),
    organizations: fields.textList('organizations'),
  })
}
