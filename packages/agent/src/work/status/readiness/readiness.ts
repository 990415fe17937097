import { parseGroupVersion } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { fitting } from '../message.js'
import {
  claimReadiness,
  definitionReadiness,
  namespaceReadiness,
  serviceReadiness,
  volumeReadiness,
} from './cluster.js'
import { byConditions } from './conditions.js'
import { type Subject, subjectOf } from './fields.js'
import { jobReadiness } from './jobs.js'
import { podReadiness } from './pods.js'
import { progressing, READY, type Readiness, type ReadinessRule } from './types.js'
import { type PodsView, withPods } from './workload-pods.js'
import { daemonSetReadiness, deploymentReadiness, replicaSetReadiness, statefulSetReadiness } from './workloads.js'

/** Messages come from whoever wrote the object's status: enough to understand is enough. */
const MAX_TEXT = 512

/** By kind and group: a kind says the same in all its versions. */
const rules: ReadonlyMap<string, ReadinessRule> = new Map<string, ReadinessRule>([
  ['Deployment.apps', deploymentReadiness],
  ['ReplicaSet.apps', replicaSetReadiness],
  ['ReplicationController.', replicaSetReadiness],
  ['StatefulSet.apps', statefulSetReadiness],
  ['DaemonSet.apps', daemonSetReadiness],
  ['Job.batch', jobReadiness],
  ['CronJob.batch', () => READY],
  ['Pod.', podReadiness],
  ['PersistentVolumeClaim.', claimReadiness],
  ['PersistentVolume.', volumeReadiness],
  ['Service.', serviceReadiness],
  ['Namespace.', namespaceReadiness],
  ['CustomResourceDefinition.apiextensions.k8s.io', definitionReadiness],
])

/** Kinds whose controllers always say which generation they have seen: silence means none. */
const countsGenerations: ReadonlySet<string> = new Set([
  'Deployment.apps',
  'ReplicaSet.apps',
  'ReplicationController.',
  'StatefulSet.apps',
  'DaemonSet.apps',
])

/** How far an object on the cluster is from doing what it should, as far as it and its pods say so themselves. */
export function readinessOf(object: DynamicObject, pods?: PodsView): Readiness {
  if (object.metadata.deletionTimestamp !== undefined) return progressing('it is being deleted')
  const kind = `${object.kind}.${parseGroupVersion(object.apiVersion)?.group ?? ''}`
  const subject = subjectOf(object)
  const seen = () => withPods((rules.get(kind) ?? byConditions)(subject), object.kind, pods)
  const { progressing: rest, degraded, isPassing } = unseen(kind, subject) ?? seen()
  return {
    ...(rest !== undefined && { progressing: fitting(rest, MAX_TEXT) }),
    ...(degraded !== undefined && { degraded: fitting(degraded, MAX_TEXT) }),
    ...(isPassing !== undefined && { isPassing }),
  }
}

/** What the status says of an earlier generation is no answer. */
function unseen(kind: string, { generation, status }: Subject): Readiness | undefined {
  if (generation === undefined) return undefined
  const seen = status.number('observedGeneration', countsGenerations.has(kind) ? 0 : undefined)
  if (seen === undefined || seen >= generation) return undefined
  return progressing(`its controller has not seen generation ${generation} yet`)
}
