import type { JsonObject } from '@orrery/kinds'
import type { AgentHealth, ClusterMetrics, VmStatus } from '../../wire/index.js'
import {
  type OperationType,
  operationTypeOf,
  type QueryType,
  readTemplateSync,
  readVdcCreate,
  readVdcDelete,
  readVmCreate,
  readVmTarget,
  readVmUpdate,
  type VdcTarget,
  type VmTarget,
  type WireOperation,
} from '../../wire/index.js'
import type { Execution } from '../execution/execution.js'
import { OperationError } from '../execution/operation-error.js'
import type { OutboxMessage } from '../records/record.js'
import type { TemplateManager } from '../templates/manager.js'
import type { VdcLifecycle } from '../vdc/lifecycle.js'
import type { VmLifecycle } from '../vm/lifecycle.js'
import type { Scope } from './lanes.js'

/** What the handlers work with. */
export interface HandlerContext {
  readonly clusterId: string
  readonly machines: Pick<
    VmLifecycle,
    'create' | 'delete' | 'start' | 'stop' | 'restart' | 'pause' | 'unpause' | 'update' | 'status'
  >
  readonly vdcs: Pick<VdcLifecycle, 'apply' | 'delete'>
  readonly templates: Pick<TemplateManager, 'sync'>
  readonly isVdcManagementEnabled: () => boolean
  /** Applies a ConfigUpdate and returns its keys. Throws a `ConfigError`. */
  readonly updateConfig: (changes: JsonObject) => Promise<string[]>
  readonly listMachines: () => readonly VmStatus[]
  readonly health: () => AgentHealth
  readonly metrics: () => ClusterMetrics
}

/** An operation that was validated and routed. */
export interface Plan {
  readonly type: OperationType | QueryType
  readonly scope: Scope
  /** The object for events and the audit log. */
  readonly target: {
    readonly kind: 'VirtualMachine' | 'Namespace' | ''
    readonly namespace?: string
    readonly name: string
  }
  run(execution: Execution): Promise<Outcome>
}

export interface Outcome {
  readonly result: JsonObject
  /** Messages for the hub besides the result. */
  readonly messages?: readonly OutboxMessage[]
}

/** Validates an operation and finds its handler. Throws a `WireError` or an `OperationError`. */
export function planOf(operation: WireOperation, context: HandlerContext): Plan {
  const type = operationTypeOf(operation.type)
  if (type === undefined) {
    throw new OperationError('UnsupportedType', `unsupported operation type: ${operation.type}`)
  }
  return PLANNERS[type](operation, context)
}

type Planner = (operation: WireOperation, context: HandlerContext) => Plan

const AGENT_SCOPE: Scope = { namespace: '' }

const PLANNERS: Readonly<Record<OperationType | QueryType, Planner>> = {
  VMCreate({ payload }, { machines }) {
    const request = readVmCreate(payload)
    return onMachine('VMCreate', request, async (execution) => ({
      vm: json(await machines.create(request, execution)),
    }))
  },
  VMDelete({ payload }, { machines }) {
    const target = readVmTarget('VMDelete', payload)
    return onMachine('VMDelete', target, async (execution) => ({
      status: 'deleted',
      existed: await machines.delete(target, execution),
    }))
  },
  VMStart: power('VMStart', 'start'),
  VMStop: power('VMStop', 'stop'),
  VMRestart: power('VMRestart', 'restart'),
  VMPause: power('VMPause', 'pause'),
  VMUnpause: power('VMUnpause', 'unpause'),
  VMUpdate({ payload }, { machines }) {
    const request = readVmUpdate(payload)
    return onMachine('VMUpdate', request, async (execution) => {
      const { status, restartRequired } = await machines.update(request, execution)
      return { vm: json(status), restart_required: restartRequired }
    })
  },
  VDCCreate: applyVdc('VDCCreate'),
  VDCUpdate: applyVdc('VDCUpdate'),
  VDCDelete(operation, context) {
    const request = readVdcDelete(operation.payload)
    requireVdcManagement(context)
    return onVdc('VDCDelete', request, async (execution) => {
      const cleaned = await context.vdcs.delete(request, execution)
      const body = {
        name: request.vdc_name,
        namespace: request.vdc_namespace,
        operation_id: operation.id,
        cluster_id: context.clusterId,
        status: 'deleted',
        workload_namespace: request.target_namespace,
        org_namespace: request.vdc_namespace,
        cleanup_completed: true,
        deleted_at: execution.clock.now().toISOString(),
        resources_cleaned: cleaned,
      }
      return { result: { status: 'deleted', resources_cleaned: cleaned }, messages: [{ kind: 'vdc-deletion', body }] }
    })
  },
  TemplateSync({ payload }, { templates }) {
    const sync = readTemplateSync(payload)
    return onAgent('TemplateSync', async ({ signal }) => {
      const { synced, removed, incompatible } = await templates.sync(sync, signal)
      return { synced_templates: synced, removed_templates: removed, incompatible: { ...incompatible } }
    })
  },
  ConfigUpdate({ payload }, { updateConfig }) {
    return onAgent('ConfigUpdate', async () => ({ status: 'updated', keys: await updateConfig(payload) }))
  },
  get_vm_status({ payload }, { machines }) {
    const target = readVmTarget('get_vm_status', payload)
    return onMachine('get_vm_status', target, async (execution) => ({
      vm: json(await machines.status(target, execution)),
    }))
  },
  list_vms(_, { listMachines }) {
    return onAgent('list_vms', async () => {
      const vms = listMachines()
      return { vms: vms.map(json), count: vms.length }
    })
  },
  get_health: (_, { health }) => onAgent('get_health', async () => json(health())),
  get_metrics: (_, { metrics }) => onAgent('get_metrics', async () => ({ cluster_metrics: json(metrics()) })),
}

function power(type: OperationType, action: 'start' | 'stop' | 'restart' | 'pause' | 'unpause'): Planner {
  return ({ payload }, { machines }) => {
    const target = readVmTarget(type, payload)
    return onMachine(type, target, async (execution) => ({ vm: json(await machines[action](target, execution)) }))
  }
}

function applyVdc(type: 'VDCCreate' | 'VDCUpdate'): Planner {
  return (operation, context) => {
    const request = readVdcCreate(type, operation.payload)
    requireVdcManagement(context)
    return onVdc(type, request, async (execution) => {
      const isNew = await context.vdcs.apply(request, execution)
      const body = {
        name: request.vdc_name,
        namespace: request.vdc_namespace,
        phase: 'Active',
        org_namespace: request.vdc_namespace,
        target_namespace: request.target_namespace,
        operation_id: operation.id,
        cluster_id: context.clusterId,
        retry_count: operation.retry_count ?? 0,
      }
      const result = { status: isNew ? 'created' : 'updated', namespace: request.target_namespace }
      return { result, messages: [{ kind: 'vdc-status', body }] }
    })
  }
}

function onMachine(
  type: OperationType | QueryType,
  { namespace, name }: VmTarget,
  run: (execution: Execution) => Promise<JsonObject>,
): Plan {
  return {
    type,
    scope: { namespace, machine: name },
    target: { kind: 'VirtualMachine', namespace, name },
    run: async (execution) => ({ result: await run(execution) }),
  }
}

function onVdc(type: OperationType, request: VdcTarget, run: (execution: Execution) => Promise<Outcome>): Plan {
  const { target_namespace: namespace } = request
  return { type, scope: { namespace }, target: { kind: 'Namespace', name: namespace }, run }
}

function onAgent(type: OperationType | QueryType, run: (execution: Execution) => Promise<JsonObject>): Plan {
  return {
    type,
    scope: AGENT_SCOPE,
    target: { kind: '', name: '' },
    run: async (execution) => ({ result: await run(execution) }),
  }
}

function requireVdcManagement({ isVdcManagementEnabled }: HandlerContext): void {
  if (isVdcManagementEnabled()) return
  const message = 'the management of virtual data centers is switched off: set OVIM_FEATURE_VDC_MANAGEMENT to true'
  throw new OperationError('FeatureDisabled', message)
}

function json(value: object): JsonObject {
  return value as unknown as JsonObject
}
