import type { KubeObject } from '@orrery/kinds'
import type { PodSpec } from '@orrery/kinds/core'
import type { RuntimeClass, Scheduling } from '@orrery/kinds/node'
import { jsonEqual } from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import type { Store } from '../store/types.js'
import { refused } from './refused.js'

const CLASSES = 'runtimeclasses.node.k8s.io'
const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** Sets the overhead and the scheduling of the runtime class (RuntimeClass). */
export function runtimeClass(store: Store): AdmissionPlugin {
  const classOf = (request: AdmissionRequest, { runtimeClassName }: Partial<PodSpec>): RuntimeClass | undefined => {
    if (runtimeClassName === undefined) return undefined
    const found = store.head(CLASSES, '', runtimeClassName)?.object() as RuntimeClass | undefined
    if (found === undefined)
      throw refused(request, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`)
    return found
  }
  return {
    name: 'RuntimeClass',
    mutate(request) {
      const pod = newPod(request)
      if (pod === undefined) return
      const spec = (pod.spec ?? {}) as Partial<PodSpec>
      const { overhead, scheduling } = classOf(request, spec) ?? {}
      if (overhead !== undefined && spec.overhead !== undefined && !jsonEqual(spec.overhead, overhead.podFixed ?? {})) {
        throw refused(request, MISMATCH)
      }
      if (overhead === undefined && scheduling === undefined) return
      pod.spec = {
        ...spec,
        ...(overhead?.podFixed !== undefined && { overhead: { ...overhead.podFixed } }),
        ...(scheduling !== undefined && schedulingOf(request, spec, scheduling)),
      }
    },
    validate(request) {
      const pod = newPod(request)
      if (pod === undefined) return
      const spec = (pod.spec ?? {}) as Partial<PodSpec>
      const { overhead } = classOf(request, spec) ?? {}
      if (overhead === undefined && spec.overhead !== undefined) {
        throw refused(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
      }
      if (overhead !== undefined && !jsonEqual(spec.overhead ?? {}, overhead.podFixed ?? {}))
        throw refused(request, MISMATCH)
    },
  }
}

function newPod({ operation, resource, subresource, object }: AdmissionRequest): KubeObject | undefined {
  return resource.storage.bucket === 'pods' && subresource === '' && operation === 'CREATE' ? object : undefined
}

function schedulingOf(request: AdmissionRequest, spec: Partial<PodSpec>, scheduling: Scheduling): Partial<PodSpec> {
  const { nodeSelector: wanted = {}, tolerations: added = [] } = scheduling
  const given = spec.nodeSelector ?? {}
  for (const [key, value] of Object.entries(wanted)) {
    const own = Object.hasOwn(given, key) ? given[key] : undefined
    if (own !== undefined && own !== value) {
      const conflict = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`
      throw refused(request, `conflict: ${conflict}`)
    }
  }
  const { tolerations = [] } = spec
  const fresh = added.filter((toleration) => !tolerations.some((other) => jsonEqual(other, toleration)))
  return {
    ...(Object.keys(wanted).length > 0 && { nodeSelector: { ...given, ...wanted } }),
    ...(fresh.length > 0 && { tolerations: [...tolerations, ...structuredClone(fresh)] }),
  }
}
