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

/** Messages come from the writer of the object's status, so they are limited. */
const MAX_TEXT = 512

/** By kind and group: all versions of a kind have the same rule. */
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

/** Kinds whose controllers always set observedGeneration: if it is absent, none was observed. */
const countsGenerations: ReadonlySet<string> = new Set([
  'Deployment.apps',
  'ReplicaSet.apps',
  'ReplicationController.',
  'StatefulSet.apps',
  'DaemonSet.apps',
])

/** The readiness of an object on the cluster, from its status and its pods. */
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

/** A status for an earlier generation does not count. */
function unseen(kind: string, { generation, status }: Subject): Readiness | undefined {
  if (generation === undefined) return undefined
  const seen = status.number('observedGeneration', countsGenerations.has(kind) ? 0 : undefined)
  if (seen === undefined || seen >= generation) return undefined
  return progressing(`its controller has not observed generation ${generation} yet`)
}
