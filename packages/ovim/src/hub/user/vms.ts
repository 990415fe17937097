import { formatTime, isLabelValue } from '@orrery/kinds/values'
import { REQUESTED_BY_ANNOTATION } from '../../kinds/names.js'
import { Template } from '../../kinds/template.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { type Fields, present } from '../../wire/fields.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { POWER_STATES } from '../../wire/vm-payloads.js'
import type { Caller } from '../access/identity.js'
import { isRefusal } from '../machines/admission.js'
import { fieldProblem, Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { inRestNames, readBody, restName } from './bodies.js'
import type { UserContext } from './context.js'
import { idOf, ownerOf, parseId } from './ids.js'
import { vmJson } from './resources.js'

const CREATE_FIELDS = [
  'name',
  'org_id',
  'vdc_id',
  'placement',
  'template',
  'template_id',
  'cpu',
  'memory',
  'disk_size',
  'power_state',
  'network_name',
  'labels',
  'annotations',
  'ssh_keys',
  'cloud_init',
]
const UPDATE_FIELDS = ['cpu', 'memory', 'labels', 'annotations', 'power_state']
const NAMES = {
  'spec.storage': 'disk_size',
  'spec.vdc': 'vdc_id',
  'metadata.name': 'name',
  'metadata.namespace': 'org_id',
}
const ACTIONS = ['start', 'stop', 'restart', 'pause', 'unpause'] as const
const MAX_CORES = 1024

/** Virtual machines: list, create, change, power, delete. */
export function vmRoutes(context: UserContext): RouteSpec[] {
  const { client, admission, forecast } = context

  /** 202 with the place of the operation that does it. */
  const accepted = (request: VirtualMachineRequest): Answer => {
    const operation = `${ownerOf(request.metadata.namespace)}.${forecast.nextName(request)}`
    const location = `/api/v1/operations/${operation}`
    return { status: 202, headers: { location }, body: { ...vmJson(request), operation_id: operation } }
  }

  const list = async ({ caller, query }: Call): Promise<Answer> => {
    const vdc = query.get('vdc')
    const status = query.get('status')
    const all = await context.list(caller, VirtualMachineRequest, query.get('organization'))
    const vms = all
      .filter((one) => vdc === null || [one.status?.vdc ?? one.spec.vdc, idOfVdc(one)].includes(vdc))
      .map(vmJson)
      .filter((one) => status === null || (one as { status: string }).status === status)
    return { status: 200, body: { vms, total: vms.length } }
  }

  const create = async ({ caller, body }: Call): Promise<Answer> => {
    const wanted = readBody(await body(), CREATE_FIELDS, readCreate)
    const namespace = organizationNamespace(organizationOf(wanted, context, caller))
    await context.require(caller, 'create', VirtualMachineRequest as never, { namespace })
    const { name, spec } = draftOf(wanted, templateOf(wanted, namespace, context))
    const draft = VirtualMachineRequest.complete({ metadata: { namespace, name }, spec })
    const answer = admission.admit({ metadata: { namespace, name }, spec: draft.spec })
    if (isRefusal(answer)) throw fieldProblem(restName(answer.field, NAMES), answer.message)
    const annotations = { [REQUESTED_BY_ANNOTATION]: caller.username }
    const created = client.create(
      VirtualMachineRequest,
      { metadata: { namespace, name, annotations }, spec },
      { fieldValidation: 'Strict' },
    )
    return accepted(await inRestNames(NAMES, created))
  }

  const find = ({ caller, params }: Call) => context.find(caller, VirtualMachineRequest, params.id ?? '')

  const change = async (call: Call, spec: object): Promise<Answer> => {
    const request = await find(call)
    const { namespace, name } = request.metadata
    await context.require(call.caller, 'patch', VirtualMachineRequest as never, { namespace, name })
    if (request.metadata.deletionTimestamp !== undefined)
      throw new Problem(409, `virtual machine ${name} is being deleted`)
    const metadata = { annotations: { [REQUESTED_BY_ANNOTATION]: call.caller.username } }
    const patched = client.patch(
      VirtualMachineRequest,
      { namespace, name },
      { metadata, spec },
      { fieldValidation: 'Strict' },
    )
    const after = await inRestNames(NAMES, patched)
    return after.metadata.generation === request.metadata.generation
      ? { status: 200, body: vmJson(after) }
      : accepted(after)
  }

  const update = async (call: Call): Promise<Answer> => {
    const spec = readBody(await call.body(), UPDATE_FIELDS, (fields) =>
      present({
        cpu: coresOf(fields),
        memory: fields.quantity('memory', 'Gi'),
        labels: labelsOf(fields),
        annotations: fields.texts('annotations'),
        powerState: fields.choice('power_state', POWER_STATES),
      }),
    )
    return change(call, spec)
  }

  const power = async (call: Call): Promise<Answer> => {
    const action = readBody(await call.body(), ['action'], (fields) => {
      fields.requiredText('action')
      return fields.choice('action', ACTIONS)
    })
    switch (action) {
      case 'stop':
        return change(call, { powerState: 'Stopped' })
      case 'pause':
        return change(call, { powerState: 'Paused' })
      case 'restart':
        return change(call, { powerState: 'Running', restartedAt: context.clock.now().toISOString() })
      default:
        return change(call, { powerState: 'Running' })
    }
  }

  const remove = async (call: Call): Promise<Answer> => {
    const request = await find(call)
    const { namespace, name, uid } = request.metadata
    await context.require(call.caller, 'delete', VirtualMachineRequest as never, { namespace, name })
    await client.delete(VirtualMachineRequest, { namespace, name }, { preconditions: { uid } })
    return accepted({
      ...request,
      metadata: { ...request.metadata, deletionTimestamp: formatTime(context.clock.now()) },
    })
  }

  const status = async (call: Call): Promise<Answer> => {
    const request = await find(call)
    const { phase = 'pending', message, conditions = [], operation } = request.status ?? {}
    return { status: 200, body: { id: idOf(request), status: phase, message, conditions, operation } }
  }

  return [
    { path: '/api/v1/vms', methods: { GET: list, POST: create } },
    {
      path: '/api/v1/vms/{id}',
      methods: {
        GET: async (call) => ({ status: 200, body: vmJson(await find(call)) }),
        PUT: update,
        PATCH: update,
        DELETE: remove,
      },
    },
    { path: '/api/v1/vms/{id}/status', methods: { GET: status } },
    { path: '/api/v1/vms/{id}/power', methods: { PUT: power } },
  ]
}

type Wanted = ReturnType<typeof readCreate>

function readCreate(fields: Fields) {
  const placement = fields.object('placement')
  return {
    name: fields.requiredText('name'),
    organization: fields.text('org_id'),
    vdc: fields.text('vdc_id'),
    template: fields.text('template'),
    templateId: fields.value('template') === undefined ? fields.requiredText('template_id') : undefined,
    spec: present({
      placementRef:
        placement && present({ name: placement.requiredText('name'), namespace: placement.text('namespace') }),
      cpu: coresOf(fields),
      memory: fields.quantity('memory', 'Gi'),
      storage: fields.quantity('disk_size', 'Gi'),
      powerState: fields.choice('power_state', POWER_STATES),
      networkName: fields.text('network_name'),
      labels: labelsOf(fields),
      annotations: fields.texts('annotations'),
      sshKeys: fields.textList('ssh_keys'),
      cloudInit: fields.text('cloud_init'),
    }),
  }
}

function coresOf(fields: Fields): number | undefined {
  const cpu = fields.count('cpu')
  if (cpu !== undefined && (cpu < 1 || cpu > MAX_CORES))
    throw fieldProblem('cpu', `must be from 1 to ${MAX_CORES} cores`)
  return cpu
}

function labelsOf(fields: Fields): Record<string, string> | undefined {
  const labels = fields.texts('labels')
  for (const [key, value] of Object.entries(labels ?? {})) {
    const [problem] = isLabelValue(value)
    if (problem !== undefined) throw fieldProblem(`labels[${key}]`, problem)
  }
  return labels
}

/** The organization is in the id of the virtual data center, or it is the only one of the caller. */
function organizationOf({ organization, vdc }: Wanted, context: UserContext, caller: Caller): string {
  if (organization !== undefined) return organization
  if (vdc?.includes('.')) return vdc.slice(0, vdc.indexOf('.'))
  const [own, ...more] = context.organizationsOf(caller)
  if (own === undefined || more.length > 0) throw fieldProblem('org_id', 'required: name the organization')
  return own.metadata.name
}

function draftOf({ name, vdc, spec }: Wanted, template: string) {
  const vdcName = vdc && (vdc.includes('.') ? vdc.slice(vdc.indexOf('.') + 1) : vdc)
  return { name, spec: { ...spec, ...(vdcName && { vdc: vdcName }), template } }
}

/** The name of the template. An id must mean the same template as its name does in the organization. */
function templateOf({ template, templateId = '' }: Wanted, namespace: string, { admission }: UserContext): string {
  if (template !== undefined) return template
  const ref = parseId(Template, templateId)
  const found =
    ref === undefined ? admission.templates.list().find(({ metadata }) => metadata.uid === templateId) : undefined
  const { namespace: within, name } = ref ?? found?.metadata ?? { name: '' }
  const meant = admission.templateOf(namespace, name)
  if (meant === undefined || meant.metadata.namespace !== within) {
    throw fieldProblem('template_id', `${JSON.stringify(templateId)} is not a template that the organization can use`)
  }
  return name
}

function idOfVdc({ metadata, spec, status }: VirtualMachineRequest): string {
  return `${ownerOf(metadata.namespace)}.${status?.vdc ?? spec.vdc}`
}
