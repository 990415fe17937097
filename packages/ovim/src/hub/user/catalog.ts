import type { ApiObject, Kind } from '@orrery/kinds'
import { Catalog } from '../../kinds/catalog.js'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Template } from '../../kinds/template.js'
import { type Fields, present } from '../../wire/fields.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { accessTo } from '../access/permissions.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { inRestNames, readBody } from './bodies.js'
import type { UserContext } from './context.js'
import { PUBLIC } from './ids.js'
import { catalogJson, templateJson } from './resources.js'

const FIELDS = [
  'name',
  'org_id',
  'display_name',
  'description',
  'os_type',
  'os_version',
  'cpu',
  'memory',
  'disk_size',
  'image',
  'storage_class',
  'cloud_init',
  'networks',
]
const NAMES = { 'metadata.name': 'name', 'spec.storage': 'disk_size', 'spec.storageClassName': 'storage_class' }

/** Templates and catalogs: those of the caller's organizations and the public ones. */
export function catalogRoutes(context: UserContext): RouteSpec[] {
  const { client, informers, permissions } = context
  const find = ({ caller, params }: Call) => context.find(caller, Template, params.id ?? '')

  const visible = async <T extends ApiObject>({ caller, query }: Call, kind: Kind<T, object>): Promise<T[]> => {
    const organization = query.get('organization')
    const own = await context.list(caller, kind, organization === PUBLIC ? undefined : organization)
    const access = accessTo('list', kind as never, { namespace: SYSTEM_NAMESPACE })
    const open = (await permissions.allows(caller, access)) ? informers.of(kind).list(SYSTEM_NAMESPACE) : []
    const all = [...new Map([...own, ...open].map((one) => [one.metadata.uid, one])).values()]
    return organization === PUBLIC ? all.filter(({ metadata }) => metadata.namespace === SYSTEM_NAMESPACE) : all
  }

  const create = async ({ caller, body }: Call): Promise<Answer> => {
    const { name, organization, spec } = readBody(await body(), FIELDS, readTemplate)
    const namespace = organization === PUBLIC ? SYSTEM_NAMESPACE : organizationNamespace(organization)
    await context.require(caller, 'create', Template as never, { namespace })
    const created = client.create(Template, { metadata: { namespace, name }, spec } as never, {
      fieldValidation: 'Strict',
    })
    const template = await inRestNames(NAMES, created)
    return {
      status: 201,
      headers: { location: `/api/v1/catalog/templates/${organization}.${name}` },
      body: templateJson(template),
    }
  }

  const remove = async (call: Call): Promise<Answer> => {
    const { namespace, name, uid } = (await find(call)).metadata
    await context.require(call.caller, 'delete', Template as never, { namespace, name })
    await client.delete(Template, { namespace, name }, { preconditions: { uid } })
    return { status: 204 }
  }

  return [
    {
      path: '/api/v1/catalog/templates',
      methods: {
        GET: async (call) => {
          const templates = (await visible(call, Template)).map(templateJson)
          return { status: 200, body: { templates, total: templates.length } }
        },
        POST: create,
      },
    },
    {
      path: '/api/v1/catalog/templates/{id}',
      methods: { GET: async (call) => ({ status: 200, body: templateJson(await find(call)) }), DELETE: remove },
    },
    {
      path: '/api/v1/catalog/sources',
      methods: {
        GET: async (call) => {
          const sources = (await visible(call, Catalog)).map(catalogJson)
          return { status: 200, body: { sources, total: sources.length } }
        },
      },
    },
  ]
}

function readTemplate(fields: Fields) {
  const image = fields.object('image')
  const pvc = image?.object('pvc')
  if (image === undefined) fields.requiredText('image')
  return {
    name: fields.requiredText('name'),
    organization: fields.requiredText('org_id'),
    spec: present({
      displayName: fields.text('display_name'),
      description: fields.text('description'),
      osType: fields.requiredText('os_type'),
      osVersion: fields.text('os_version'),
      cpu: fields.count('cpu') ?? 1,
      memory: fields.quantity('memory', 'Gi') ?? '1Gi',
      storage: fields.quantity('disk_size', 'Gi'),
      image: present({
        containerDisk: image?.text('container_disk'),
        http: image?.text('http'),
        registry: image?.text('registry'),
        pvc: pvc && { namespace: pvc.requiredText('namespace'), name: pvc.requiredText('name') },
      }),
      storageClassName: fields.text('storage_class'),
      cloudInit: fields.text('cloud_init'),
      networks: fields.textList('networks'),
    }),
  }
}
