import type { KubeObject } from '@orrery/kinds'
import type { PodSpec } from '@orrery/kinds/core'
import type { PriorityClass } from '@orrery/kinds/scheduling'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import type { Store } from '../store/types.js'
import { refused } from './refused.js'

const CLASSES = 'priorityclasses.scheduling.k8s.io'
const PREEMPT = 'PreemptLowerPriority'

/** Sets the priority of pods from their class, and allows one default class (Priority). */
export function priority(store: Store): AdmissionPlugin {
  const defaultClass = (): PriorityClass | undefined =>
    store
      .page({ bucket: CLASSES, namespace: '' })
      .entries.map((entry) => entry.object() as PriorityClass)
      .filter(({ globalDefault }) => globalDefault === true)
      .sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0]

  const prioritise = (request: AdmissionRequest, pod: KubeObject): void => {
    const spec = (pod.spec ?? {}) as Partial<PodSpec>
    const { priorityClassName: wanted = '' } = spec
    const found =
      wanted === '' ? defaultClass() : (store.head(CLASSES, '', wanted)?.object() as PriorityClass | undefined)
    if (wanted !== '' && found === undefined) throw refused(request, `no PriorityClass with name ${wanted} was found`)
    const { value = 0, preemptionPolicy = PREEMPT } = found ?? {}
    if (spec.priority !== undefined && spec.priority !== value) {
      const computed = `priority admission controller computed ${value} from the given PriorityClass name`
      throw refused(
        request,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; ${computed}`,
      )
    }
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
      const computed = `priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`
      const given = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`
      throw refused(request, `${given}; ${computed}`)
    }
    const priorityClassName = found?.metadata.name
    pod.spec = {
      ...spec,
      ...(priorityClassName !== undefined && { priorityClassName }),
      priority: value,
      preemptionPolicy,
    }
  }

  return {
    name: 'Priority',
    mutate(request) {
      const { operation, resource, subresource, object, oldObject } = request
      if (resource.storage.bucket !== 'pods' || subresource !== '' || object === undefined) return
      if (operation === 'CREATE') prioritise(request, object)
      else if (operation === 'UPDATE') keepPriority(object, oldObject)
    },
    validate(request) {
      const { resource, object, operation } = request
      if (operation === 'DELETE' && resource.storage.bucket === CLASSES) keepSystemClass(request)
      if (resource.storage.bucket !== CLASSES || object?.globalDefault !== true) return
      const current = defaultClass()
      if (current === undefined || (operation === 'UPDATE' && current.metadata.name === object.metadata.name)) return
      const name = current.metadata.name ?? ''
      throw refused(request, `PriorityClass ${name} is already marked as default. Only one default can exist`)
    },
  }
}

/** The system priority classes cannot be deleted. */
function keepSystemClass(request: AdmissionRequest): void {
  if (!request.name.startsWith('system-')) return
  throw refused(request, 'this is a system priority class and cannot be deleted')
}

/** An update without a priority keeps it. */
function keepPriority(pod: KubeObject, old: KubeObject | undefined): void {
  const spec = (pod.spec ?? {}) as Partial<PodSpec>
  const before = (old?.spec ?? {}) as Partial<PodSpec>
  const kept = {
    ...(spec.priority === undefined && before.priority !== undefined && { priority: before.priority }),
    ...(spec.preemptionPolicy === undefined &&
      before.preemptionPolicy !== undefined && { preemptionPolicy: before.preemptionPolicy }),
  }
  if (Object.keys(kept).length > 0) pod.spec = { ...spec, ...kept }
}
