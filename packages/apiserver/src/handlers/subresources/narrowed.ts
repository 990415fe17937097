import { conflict, type JsonObject, type KubeObject } from '@orrery/kube'
import type { KindLogic } from '../../registry/kindlogic.js'
import { MODIFIED_MESSAGE } from '../../registry/modify.js'
import type { Projection } from './projection.js'

/** Takes over, from what a client sent, only what an endpoint is for. Both objects stay as they are. */
type Narrow = (live: KubeObject, sent: KubeObject) => KubeObject

/** A projection of the same kind: the whole object is shown, a part of it is written. */
export function narrowedProjection(logic: KindLogic, narrow: Narrow): Projection {
  return {
    resource: logic.resource,
    read: (live) => live,
    write(live, sent) {
      const version = sent.metadata.resourceVersion
      if (version !== undefined && version !== '' && version !== live.metadata.resourceVersion) {
        throw conflict(
          { group: logic.resource.group, resource: logic.resource.plural },
          live.metadata.name ?? '',
          MODIFIED_MESSAGE,
        )
      }
      return narrow(live, sent)
    },
    conform(value: JsonObject) {
      const { object } = logic.conform(value)
      logic.applyDefaults(object)
      return object
    },
    applied: (config) => config,
  }
}

/** A namespace's `finalize`: only `spec.finalizers`. */
export const finalize: Narrow = (live, sent) => {
  const finalizers = (sent.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []
  return { ...live, metadata: { ...live.metadata }, spec: { ...(live.spec as object | undefined), finalizers } }
}

interface Condition {
  readonly type: string
}

/** A CSR's `approval`: only the conditions that approve or deny it. */
export const approval: Narrow = (live, sent) => {
  const decides = (condition: Condition) => condition.type === 'Approved' || condition.type === 'Denied'
  const liveStatus = (live.status ?? {}) as { conditions?: Condition[] }
  const sentStatus = (sent.status ?? {}) as { conditions?: Condition[] }
  const others = (liveStatus.conditions ?? []).filter((condition) => !decides(condition))
  const decisions = (sentStatus.conditions ?? []).filter(decides)
  return { ...live, metadata: { ...live.metadata }, status: { ...liveStatus, conditions: [...others, ...decisions] } }
}

/** A pod's `ephemeralcontainers`: only that list of its spec. */
export const ephemeralContainers: Narrow = (live, sent) => {
  const list = (sent.spec as JsonObject | undefined)?.ephemeralContainers
  const spec = { ...(live.spec as JsonObject) }
  if (list === undefined) delete spec.ephemeralContainers
  else spec.ephemeralContainers = list
  return { ...live, metadata: { ...live.metadata }, spec }
}

interface Container {
  readonly name: string
  readonly resources?: JsonObject
  readonly resizePolicy?: JsonObject[]
}

/** A pod's `resize`: only the resources of its containers. */
export const resize: Narrow = (live, sent) => {
  const take = (field: 'containers' | 'initContainers') => {
    const sentList = ((sent.spec as JsonObject | undefined)?.[field] ?? []) as unknown as Container[]
    const byName = new Map(sentList.map((container) => [container.name, container]))
    return (((live.spec as JsonObject)[field] ?? []) as unknown as Container[]).map((container) => {
      const wanted = byName.get(container.name)
      return wanted?.resources === undefined ? container : { ...container, resources: wanted.resources }
    })
  }
  const spec: Record<string, unknown> = { ...(live.spec as JsonObject), containers: take('containers') }
  if ((live.spec as JsonObject).initContainers !== undefined) spec.initContainers = take('initContainers')
  return { ...live, metadata: { ...live.metadata }, spec }
}
