import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Template } from '../../kinds/template.js'
import { type Fields, present } from '../../wire/fields.js'
import { kernelBoot } from '../../wire/template.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { inRestNames, readBody } from './bodies.js'
import type { UserContext } from './context.js'
import { PUBLIC } from './ids.js'
import { templateJson } from './resources.js'
import { visibleObjects } from './visible.js'

const UPDATE_FIELDS = [
  'display_name',
  'description',
  'os_type',
  'os_version',
  'cpu',
  'memory',
  'disk_size',
  'image',
  'kernel_boot',
  'storage_class',
  'cloud_init',
  'networks',
]
const NAMES = { 'metadata.name': 'name', 'spec.storage': 'disk_size', 'spec.storageClassName': 'storage_class' }

/** Templates: those of the caller's organizations and the public ones. */
export function templateRoutes(context: UserContext): RouteSpec[] {
  const { client } = context
  const find = ({ caller, params }: Call) => context.find(caller, Template, params.id ?? '')

  const create = async ({ caller, body }: Call): Promise<Answer> => {
    const { name, organization, spec } = readBody(await body(), ['name', 'org_id', ...UPDATE_FIELDS], readTemplate)
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

  /** Virtual machines keep what they were created from. */
  const update = async (call: Call): Promise<Answer> => {
    const spec = readBody(await call.body(), UPDATE_FIELDS, (fields) => specOf(fields))
    const { namespace, name } = (await find(call)).metadata
    await context.require(call.caller, 'patch', Template as never, { namespace, name })
    const patched = client.patch(Template, { namespace, name }, { spec }, { fieldValidation: 'Strict' })
    return { status: 200, body: templateJson(await inRestNames(NAMES, patched)) }
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
          const templates = (await visibleObjects(context, call, Template)).map(templateJson)
          return { status: 200, body: { templates, total: templates.length } }
        },
        POST: create,
      },
    },
    {
      path: '/api/v1/catalog/templates/{id}',
      methods: {
        GET: async (call) => ({ status: 200, body: templateJson(await find(call)) }),
        PUT: update,
        PATCH: update,
        DELETE: remove,
      },
    },
  ]
}

const DEFAULTS: Readonly<Record<string, unknown>> = { cpu: 1, memory: '1Gi' }

function readTemplate(fields: Fields) {
  if (fields.object('image') === undefined) fields.requiredText('image')
  fields.requiredText('os_type')
  return {
    name: fields.requiredText('name'),
    organization: fields.requiredText('org_id'),
    spec: { ...DEFAULTS, ...specOf(fields) },
  }
}

function specOf(fields: Fields) {
  return present({
    displayName: fields.text('display_name'),
    description: fields.text('description'),
    osType: fields.text('os_type'),
    osVersion: fields.text('os_version'),
    cpu: fields.count('cpu'),
    memory: fields.quantity('memory', 'Gi'),
    storage: fields.quantity('disk_size', 'Gi'),
    image: imageOf(fields),
    kernelBoot: kernelBootOf(fields),
    storageClassName: fields.text('storage_class'),
    cloudInit: fields.text('cloud_init'),
    networks: fields.textList('networks'),
  })
}

function kernelBootOf(fields: Fields) {
  const given = kernelBoot(fields.object('kernel_boot'))
  if (given === undefined) return undefined
  const { image, kernel_path: kernelPath, initrd_path: initrdPath, kernel_args: args } = given
  return { image, kernelPath, initrdPath: initrdPath ?? null, args: args ?? null }
}

/** Another image replaces the one before. */
function imageOf(fields: Fields) {
  const image = fields.object('image')
  if (image === undefined) return undefined
  const pvc = image.object('pvc')
  return {
    containerDisk: image.text('container_disk') ?? null,
    http: image.text('http') ?? null,
    registry: image.text('registry') ?? null,
    pvc: pvc === undefined ? null : { namespace: pvc.requiredText('namespace'), name: pvc.requiredText('name') },
  }
}
