import type { NodeSpec, PodSpec, Toleration } from '@orrery/kinds/core'
import type { AdmissionPlugin } from '../admission/types.js'

const SECONDS = 300
const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'

/** Adds tolerations of five minutes for unready and unreachable nodes (DefaultTolerationSeconds). */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate({ operation, resource, subresource, object }) {
    if (resource.storage.bucket !== 'pods' || subresource !== '' || object === undefined) return
    if (operation !== 'CREATE' && operation !== 'UPDATE') return
    const { tolerations = [], ...spec } = (object.spec ?? {}) as Partial<PodSpec>
    const missing = [NOT_READY, UNREACHABLE].filter(
      (key) => !tolerations.some((toleration) => tolerates(toleration, key)),
    )
    if (missing.length === 0) return
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }))
    object.spec = { ...spec, tolerations: [...tolerations, ...added] }
  },
}

function tolerates({ key = '', effect }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || (effect ?? '') === '')
}

/** Taints new nodes as not ready (TaintNodesByCondition). */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ operation, resource, subresource, object }) {
    if (resource.storage.bucket !== 'nodes' || subresource !== '' || operation !== 'CREATE' || object === undefined)
      return
    const { taints = [], ...spec } = (object.spec ?? {}) as NodeSpec
    if (taints.some(({ key, effect }) => key === NOT_READY && effect === 'NoSchedule')) return
    object.spec = { ...spec, taints: [...taints, { key: NOT_READY, effect: 'NoSchedule' }] }
  },
}
