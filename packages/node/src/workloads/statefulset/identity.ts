import { type Draft, type Pod, type PodTemplateSpec, StatefulSet, type Volume } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { podFrom } from '../pod-template.js'

const REVISION_LABEL = 'controller-revision-hash'
const NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const INDEX_LABEL = 'apps.kubernetes.io/pod-index'

/** Returns the ordinal of a pod, if the rest of its name is the name of the StatefulSet. */
export function ordinalOf({ metadata: { name } }: Pod, set: StatefulSet): number | undefined {
  const prefix = `${set.metadata.name}-`
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : ''
  return /^(0|[1-9]\d{0,9})$/.test(digits) ? Number(digits) : undefined
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`
}

export function claimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`
}

/** The ordinals of the pods that a StatefulSet should have. There can be billions, so they are never listed. */
export interface Ordinals {
  readonly first: number
  /** The first ordinal after them. */
  readonly end: number
}

export function ordinalsOf({ spec }: StatefulSet): Ordinals {
  const first = spec.ordinals?.start ?? 0
  return { first, end: first + (spec.replicas ?? 1) }
}

export function isWithin({ first, end }: Ordinals, ordinal: number | undefined): boolean {
  return ordinal !== undefined && ordinal >= first && ordinal < end
}

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[REVISION_LABEL]
}

/** Returns a pod with a stable name, hostname and storage. */
export function statefulPod(
  set: StatefulSet,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Draft<Pod> {
  const name = podName(set, ordinal)
  const pod = podFrom(template, set, ownerReferenceTo(set, StatefulSet, { controller: true }))
  const { labels, ...metadata } = pod.metadata
  const identity = { [NAME_LABEL]: name, [INDEX_LABEL]: String(ordinal), [REVISION_LABEL]: revision }
  const volumes = volumesOf(set, template, ordinal)
  return {
    ...pod,
    metadata: { ...metadata, name, labels: { ...labels, ...identity } },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName !== undefined && { subdomain: set.spec.serviceName }),
      ...(volumes.length > 0 && { volumes }),
    },
  }
}

/** Claims replace volumes of the template with the same name. */
function volumesOf(set: StatefulSet, template: PodTemplateSpec, ordinal: number): Volume[] {
  const claimed = (set.spec.volumeClaimTemplates ?? []).map(({ metadata: { name = '' } }): Volume => {
    return { name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } }
  })
  const taken = new Set(claimed.map(({ name }) => name))
  return [...claimed, ...(template.spec.volumes ?? []).filter(({ name }) => !taken.has(name))]
}
