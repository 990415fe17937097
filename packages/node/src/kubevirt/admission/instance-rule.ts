import type { KubeObject } from '@orrery/kinds'
import { formatTime, jsonEqual } from '@orrery/kinds/values'
import { type InstanceStatus, VirtualMachineInstance } from '../kinds/instance.js'
import { CREATED_BY_LABEL, INSTANCE_FINALIZER, NODE_NAME_LABEL } from '../names.js'
import { Causes } from './causes.js'
import { withInstanceDefaults } from './defaults.js'
import { isFromKubevirt, type KubevirtRequest } from './request.js'
import { checkInstanceSpec } from './spec-checks.js'

const CREATE_WEBHOOK = 'virtualmachineinstances-create-validator.kubevirt.io'
const UPDATE_WEBHOOK = 'virtualmachineinstances-update-validator.kubevirt.io'
const RESERVED_LABELS = [CREATED_BY_LABEL, NODE_NAME_LABEL] as const
/** The user of virt-launcher. */
const RUNTIME_USER = 107

/** Sets the defaults of a new instance, and keeps the status as KubeVirt wrote it. */
export function defaultInstance(request: KubevirtRequest, now: Date): void {
  const { object, oldObject, operation } = request
  if (object === undefined) return
  if (operation === 'UPDATE') {
    if (!isFromKubevirt(request)) request.object = withStatus(object, oldObject?.status)
    return
  }
  if (VirtualMachineInstance.validate(object).length > 0) return
  const instance = object as unknown as VirtualMachineInstance
  const spec = withInstanceDefaults(instance.spec)
  const { sockets = 1, cores = 1, threads = 1 } = spec.domain.cpu ?? {}
  const { guest } = spec.domain.memory ?? {}
  const given: InstanceStatus = isFromKubevirt(request) ? (instance.status ?? {}) : {}
  const status: InstanceStatus = {
    ...given,
    phase: 'Pending',
    phaseTransitionTimestamps: [{ phase: 'Pending', phaseTransitionTimestamp: formatTime(now) }],
    runtimeUser: RUNTIME_USER,
    currentCPUTopology: { sockets, cores, threads },
    ...(guest !== undefined && { memory: { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest } }),
  }
  const { finalizers = [] } = object.metadata
  const isKept = finalizers.includes(INSTANCE_FINALIZER)
  request.object = {
    ...object,
    metadata: { ...object.metadata, finalizers: isKept ? finalizers : [...finalizers, INSTANCE_FINALIZER] },
    spec,
    status,
  }
}

/** Checks an instance. Only KubeVirt changes the spec of one that exists. */
export function checkInstance(request: KubevirtRequest): void {
  const instance = request.object as unknown as VirtualMachineInstance
  const before = request.oldObject as unknown as VirtualMachineInstance | undefined
  const causes = new Causes()
  if (before === undefined) {
    checkInstanceSpec(instance.spec, 'spec', causes)
    const reserved = RESERVED_LABELS.find((label) => instance.metadata.labels?.[label] !== undefined)
    if (reserved !== undefined && !isFromKubevirt(request)) {
      causes.invalid('metadata.labels', `metadata.labels: the label ${reserved} is reserved for KubeVirt`)
    }
    causes.refuse(CREATE_WEBHOOK)
    return
  }
  if (isFromKubevirt(request)) return
  if (!jsonEqual(before.spec, instance.spec)) {
    const how = 'change the VirtualMachine and restart it, or use a subresource'
    causes.invalid('spec', `the spec of a VirtualMachineInstance cannot change: ${how}`)
  }
  const changed = RESERVED_LABELS.find((label) => before.metadata.labels?.[label] !== instance.metadata.labels?.[label])
  if (changed !== undefined) {
    causes.invalid('metadata.labels', `metadata.labels: the label ${changed} is reserved for KubeVirt`)
  }
  causes.refuse(UPDATE_WEBHOOK)
}

function withStatus({ status: _, ...object }: KubeObject, status: unknown): KubeObject {
  return { ...object, ...(status !== undefined && { status }) } as KubeObject
}
