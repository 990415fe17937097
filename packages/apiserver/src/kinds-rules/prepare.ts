import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { compareQuantity, formatTime, isObject, setOwn } from '@orrery/kinds/values'
import { nameLabel } from './defaults/core.js'
import { TEMPLATE_GENERATION } from './defaults/groups.js'
import type { Prepare } from './kind.js'
import { isPositive, quantity } from './quantities.js'
import { childOf, entryOf, flagOf, has, sameValue, structsOf, textOf, textsOf } from './read.js'
import { resourceClaim, resourceSlice } from './resource/prepare.js'

const NODE_INFO = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
]

/** The initial status of a new object, which the API always shows. */
const FIRST_STATUS: Readonly<Record<string, (object: JsonObject, now: Date) => JsonValue>> = {
  '/Namespace': () => ({ phase: 'Active' }),
  '/PersistentVolume': (_object, now) => ({ phase: 'Pending', lastPhaseTransitionTime: formatTime(now) }),
  '/PersistentVolumeClaim': () => ({ phase: 'Pending' }),
  '/Pod': (pod, now) => ({ phase: 'Pending', ...gated(pod, now), qosClass: qosClass(childOf(pod, 'spec')) }),
  '/ReplicationController': () => ({ replicas: 0 }),
  '/ResourceQuota': () => ({}),
  '/Service': () => ({ loadBalancer: {} }),
  'apiregistration.k8s.io/APIService': () => ({}),
  'apps/DaemonSet': () => ({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  'apps/Deployment': () => ({}),
  'apps/ReplicaSet': () => ({ replicas: 0 }),
  'apps/StatefulSet': () => ({ replicas: 0, availableReplicas: 0 }),
  'autoscaling/HorizontalPodAutoscaler': () => ({ desiredReplicas: 0, currentMetrics: null }),
  'batch/CronJob': () => ({}),
  'batch/Job': () => ({}),
  'certificates.k8s.io/CertificateSigningRequest': () => ({}),
  'resource.k8s.io/ResourceClaim': () => ({}),
  'networking.k8s.io/Ingress': () => ({ loadBalancer: {} }),
  'policy/PodDisruptionBudget': () => ({
    currentHealthy: 0,
    desiredHealthy: 0,
    disruptionsAllowed: 0,
    expectedPods: 0,
  }),
  'storage.k8s.io/VolumeAttachment': () => ({ attached: false }),
}

function gated(pod: JsonObject, now: Date): JsonObject {
  if (structsOf(childOf(pod, 'spec'), 'schedulingGates').length === 0) return {}
  const message = 'Scheduling is blocked due to non-empty scheduling gates'
  const condition = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message }
  return { conditions: [{ ...condition, lastProbeTime: null, lastTransitionTime: formatTime(now) }] }
}

/** Returns the QoS class of a pod from the requests and limits of its containers. */
function qosClass(spec: JsonObject | undefined): string {
  const containers = [...structsOf(spec, 'containers'), ...structsOf(spec, 'initContainers')]
  let asks = false
  let guaranteed = true
  for (const container of containers) {
    const resources = childOf(container, 'resources')
    for (const name of ['cpu', 'memory']) {
      const limit = entryOf(resources?.limits, name)
      const request = entryOf(resources?.requests, name)
      if (isPositive(limit) || isPositive(request)) asks = true
      const exact = isPositive(limit) && compareQuantity(quantity(limit), quantity(request)) === 0
      if (!exact) guaranteed = false
    }
  }
  if (!asks) return 'BestEffort'
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

const namespace: Prepare = (object, old, subresource) => {
  nameLabel(object)
  if (old !== undefined) {
    if (subresource === '' && isObject(old.spec)) object.spec = old.spec
    return
  }
  const finalizers = textsOf(childOf(object, 'spec'), 'finalizers')
  object.spec = { finalizers: finalizers.includes('kubernetes') ? [...finalizers] : [...finalizers, 'kubernetes'] }
}

const node: Prepare = (object, old) => {
  if (old !== undefined) return
  const status = isObject(object.status) ? object.status : {}
  status.daemonEndpoints ??= { kubeletEndpoint: { Port: 0 } }
  status.nodeInfo ??= Object.fromEntries(NODE_INFO.map((name) => [name, '']))
  object.status = status
  object.spec ??= {}
}

const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name']

/** The pods of a Job are selected by its UID, unless `manualSelector` is set. */
const job: Prepare = (object, old) => {
  const spec = childOf(object, 'spec')
  if (old !== undefined || spec === undefined || flagOf(spec, 'manualSelector')) return
  const meta = childOf(object, 'metadata')
  const template = childOf(spec, 'template') ?? {}
  const templateMeta = childOf(template, 'metadata') ?? {}
  const labels = childOf(templateMeta, 'labels') ?? {}
  // A Job without labels gets those of its pod template, including generated ones.
  const isUnlabelled = meta !== undefined && sameValue(childOf(meta, 'labels') ?? {}, labels)
  for (const label of NAME_LABELS) labels[label] ??= textOf(meta, 'name')
  for (const label of UID_LABELS) labels[label] ??= textOf(meta, 'uid')
  spec.template = { ...template, metadata: { ...templateMeta, labels } }
  if (isUnlabelled) meta.labels = { ...labels }
  const selector = childOf(spec, 'selector') ?? {}
  const matchLabels = childOf(selector, 'matchLabels') ?? {}
  const uidLabel = 'batch.kubernetes.io/controller-uid'
  spec.selector = {
    ...selector,
    matchLabels: { ...matchLabels, [uidLabel]: matchLabels[uidLabel] ?? textOf(meta, 'uid') },
  }
}

const daemonSet: Prepare = (object, old, subresource) => {
  if (subresource !== '') return
  const meta = childOf(object, 'metadata')
  if (meta === undefined) return
  const template = (of: JsonObject) => childOf(childOf(of, 'spec'), 'template')
  const current = generationOf(old ?? object)
  const changed = old !== undefined && !sameValue(template(object), template(old))
  const generation = String(Math.max(1, current + (changed ? 1 : 0)))
  meta.annotations = { ...childOf(meta, 'annotations'), [TEMPLATE_GENERATION]: generation }
}

function generationOf(object: JsonObject): number {
  const text = entryOf(childOf(object, 'metadata')?.annotations, TEMPLATE_GENERATION)
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : 0
}

const persistentVolume: Prepare = (object, old, subresource, now) => {
  if (old === undefined || subresource !== 'status') return
  const status = childOf(object, 'status')
  const before = childOf(old, 'status')
  if (status === undefined) return
  const time = status.lastPhaseTransitionTime
  if (status.phase !== before?.phase) {
    if (time === undefined || time === before?.lastPhaseTransitionTime) status.lastPhaseTransitionTime = formatTime(now)
  } else if (time === undefined && before?.lastPhaseTransitionTime !== undefined) {
    status.lastPhaseTransitionTime = before.lastPhaseTransitionTime
  }
}

const claim: Prepare = (object, _old, subresource) => {
  const given = childOf(object, 'spec')
  if (given === undefined || subresource !== '') return
  const spec = { ...given }
  object.spec = spec
  // `dataSource` and `dataSourceRef` are kept equal, unless the source is in another namespace.
  if (!isKnownSource(childOf(spec, 'dataSource'))) delete spec.dataSource
  const source = childOf(spec, 'dataSource')
  const ref = childOf(spec, 'dataSourceRef')
  if (source !== undefined && ref === undefined) spec.dataSourceRef = { ...source }
  else if (source === undefined && ref !== undefined && textOf(ref, 'namespace') === '') spec.dataSource = { ...ref }
}

/** `dataSource` supports only claims and snapshots; other kinds in it are ignored. */
function isKnownSource(source: JsonObject | undefined): boolean {
  const group = textOf(source, 'apiGroup')
  const kind = textOf(source, 'kind')
  if (kind === 'VolumeSnapshot') return group === 'snapshot.storage.k8s.io'
  return group === '' && kind === 'PersistentVolumeClaim'
}

const podStatus: Prepare = (object, old, subresource) => {
  if (old === undefined || subresource !== 'status') return
  const status = childOf(object, 'status')
  const before = childOf(old, 'status')
  if (status !== undefined && !has(status, 'qosClass') && has(before, 'qosClass')) {
    setOwn(status, 'qosClass', textOf(before, 'qosClass'))
  }
}

/** The `approval` subresource writes the conditions of a CertificateSigningRequest, `status` writes its certificate. */
const signingRequest: Prepare = (object, old, subresource, now) => {
  if (old === undefined || (subresource !== 'status' && subresource !== 'approval')) return
  object.spec = old.spec ?? {}
  const before = childOf(old, 'status') ?? {}
  const conditions = structsOf(childOf(object, 'status'), 'conditions').map((condition) =>
    timed(condition, before, now),
  )
  if (subresource === 'approval') object.status = { ...before, ...(conditions.length > 0 && { conditions }) }
  else if (conditions.length > 0) object.status = { ...childOf(object, 'status'), conditions }
}

function timed(condition: JsonObject, before: JsonObject, now: Date): JsonObject {
  const known = structsOf(before, 'conditions').find((other) => other.type === condition.type)
  const time = formatTime(now)
  const sameStatus = known !== undefined && known.status === condition.status
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? time,
    lastTransitionTime: condition.lastTransitionTime ?? (sameStatus ? (known.lastTransitionTime ?? time) : time),
  }
}

const PREPARE: Readonly<Record<string, Prepare>> = {
  '/Namespace': namespace,
  '/Node': node,
  '/PersistentVolume': persistentVolume,
  '/PersistentVolumeClaim': claim,
  '/Pod': podStatus,
  'apps/DaemonSet': daemonSet,
  'batch/Job': job,
  'certificates.k8s.io/CertificateSigningRequest': signingRequest,
  'resource.k8s.io/ResourceClaim': resourceClaim,
  'resource.k8s.io/ResourceSlice': resourceSlice,
}

/** Returns whether `prepareObject` changes objects of a kind. */
export function isPrepared(group: string, kind: string): boolean {
  const key = `${group}/${kind}`
  return Object.hasOwn(FIRST_STATUS, key) || Object.hasOwn(PREPARE, key)
}

/**
 * Sets the server-owned fields of a built-in object before its validation: the initial status of a new one (name and
 * UID must be set already), the selector of a Job, the finalizer of a namespace, and others.
 */
export function prepareObject(
  group: string,
  kind: string,
  object: KubeObject,
  old: KubeObject | undefined,
  subresource: string,
  now: Date,
): void {
  const key = `${group}/${kind}`
  const json = object as unknown as JsonObject
  if (old === undefined && Object.hasOwn(FIRST_STATUS, key)) json.status = FIRST_STATUS[key]?.(json, now) ?? {}
  if (Object.hasOwn(PREPARE, key)) PREPARE[key]?.(json, old as unknown as JsonObject | undefined, subresource, now)
}
