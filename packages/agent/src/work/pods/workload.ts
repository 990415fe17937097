import { isObject, labelSelectorFrom, labelSelectorOf, parseGroupVersion } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { controllerOf } from '@orrery/kube/write'

/** Kinds that create pods, by kind and group. */
const WORKLOADS: ReadonlySet<string> = new Set([
  'Deployment.apps',
  'ReplicaSet.apps',
  'ReplicationController.',
  'StatefulSet.apps',
  'DaemonSet.apps',
  'Job.batch',
])

const REVISION = 'deployment.kubernetes.io/revision'
const REVISION_HASH = 'controller-revision-hash'
const TEMPLATE_GENERATION = 'pod-template-generation'
const TEMPLATE_GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation'

type Meta = Pick<DynamicObject, 'metadata'>

/** Whether objects of a kind create pods. */
export function isWorkload(group: string, kind: string): boolean {
  return WORKLOADS.has(`${kind}.${group}`)
}

/** Whether an object owns its pods through ReplicaSets. */
export function isDeployment({ kind, apiVersion }: DynamicObject): boolean {
  return kind === 'Deployment' && parseGroupVersion(apiVersion)?.group === 'apps'
}

/** The label selector of a workload; undefined if it has no valid one. */
export function podSelectorOf({ kind, spec }: DynamicObject): string | undefined {
  const selector = isObject(spec) ? spec.selector : undefined
  if (!isObject(selector)) return undefined
  try {
    const { text } = kind === 'ReplicationController' ? labelSelectorOf(selector as never) : labelSelectorFrom(selector)
    return text === '' ? undefined : text
  } catch {
    // Users write the object: one with an invalid selector has no pods.
    return undefined
  }
}

/** Whether a ReplicaSet is the current one of a Deployment. Those of earlier revisions do not count. */
export function isCurrentReplicaSet(deployment: DynamicObject, replicaSet: Meta): boolean {
  const revision = deployment.metadata.annotations?.[REVISION]
  return (
    controllerOf(replicaSet)?.uid === deployment.metadata.uid &&
    revision !== undefined &&
    replicaSet.metadata.annotations?.[REVISION] === revision
  )
}

/** Whether a pod of a workload belongs to its latest revision, as far as that can be determined. */
export function isCurrentPod(workload: DynamicObject, { metadata }: Meta): boolean {
  const { kind, status } = workload
  const isSame = (a: string | undefined, b: string | undefined) => a === undefined || b === undefined || a === b
  if (kind === 'StatefulSet') {
    const revision = isObject(status) && typeof status.updateRevision === 'string' ? status.updateRevision : undefined
    return isSame(revision, metadata.labels?.[REVISION_HASH])
  }
  if (kind !== 'DaemonSet') return true
  return isSame(workload.metadata.annotations?.[TEMPLATE_GENERATION_ANNOTATION], metadata.labels?.[TEMPLATE_GENERATION])
}
