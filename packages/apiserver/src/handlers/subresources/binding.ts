import type { JsonObject, KubeObject } from '@orrery/kinds'
import { conflict, fieldInvalid, fieldRequired, formatTime, invalid } from '@orrery/kinds/values'
import type { KindLogic } from '../../registry/kind-logic.js'
import { modify } from '../../registry/modify.js'
import type { Registry } from '../../registry/registry.js'
import { parseWriteOptions } from '../../request/options.js'
import { sendObject } from '../reply.js'
import { callContext, type ResourceCall, writeContext } from '../resource.js'
import { readTyped } from './typed-body.js'

interface BindingTarget {
  readonly kind?: string
  readonly name?: string
}

/**
 * Binds a pod to a node: a POST to `pods/<name>/binding`, or to `bindings` with the pod's name in the body. `pods` is
 * the pod resource in both cases.
 */
export async function bindPod(registry: Registry, call: ResourceCall, pods: KindLogic): Promise<void> {
  const binding = await readTyped(call, '', 'v1', 'Binding')
  const name = call.target.name === '' ? (binding.metadata.name ?? '') : call.target.name
  const target = (binding.target ?? {}) as BindingTarget
  checkTarget(binding, target)
  const options = parseWriteOptions(call.target.query, 'CreateOptions')
  const context = { ...writeContext(call, callContext(call), options), logic: pods, name, subresource: 'binding' }
  await modify(registry, context, {
    options: 'UpdateOptions',
    change: (pod) => bound(registry, pod, target.name ?? '', binding),
  })
  await sendObject(call.exchange, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

function checkTarget(binding: KubeObject, target: BindingTarget): void {
  const kind = { group: '', kind: 'Binding' }
  const name = binding.metadata.name ?? ''
  if (target.kind !== undefined && target.kind !== '' && target.kind !== 'Node') {
    throw invalid(kind, name, [fieldInvalid('target.kind', target.kind, 'must be empty or "Node"')])
  }
  if (target.name === undefined || target.name === '') throw invalid(kind, name, [fieldRequired('target.name')])
}

function bound(registry: Registry, pod: KubeObject, node: string, binding: KubeObject): KubeObject {
  const on = { group: '', resource: 'pods/binding' }
  const name = pod.metadata.name ?? ''
  const spec = (pod.spec ?? {}) as { nodeName?: string; schedulingGates?: unknown[] }
  if (pod.metadata.deletionTimestamp !== undefined)
    throw conflict(on, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  if ((spec.nodeName ?? '') !== '')
    throw conflict(on, name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`)
  if ((spec.schedulingGates ?? []).length > 0)
    throw conflict(on, name, `pod ${name} has non-empty .spec.schedulingGates`)
  if ((binding.metadata.uid ?? '') !== '' && binding.metadata.uid !== pod.metadata.uid) {
    throw conflict(
      on,
      name,
      `Precondition failed: UID in precondition: ${binding.metadata.uid}, UID in object meta: ${pod.metadata.uid}`,
    )
  }
  const status = (pod.status ?? {}) as { conditions?: JsonObject[] }
  const now = formatTime(registry.clock.now())
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  const conditions = [...(status.conditions ?? []).filter((condition) => condition.type !== 'PodScheduled'), scheduled]
  const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations }
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions },
  }
}
