import type { ManifestResourceMeta, ManifestWork } from '@orrery/api'
import { Pod } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { WorkContext } from '../context.js'
import type { Access } from '../executor/account.js'
import type { Reading, ReadTarget } from '../executor/reading.js'
import type { ManifestOutcome } from '../outcomes.js'
import { isWorkload } from '../pods/workload.js'
import { currentOutcome } from './applied-condition.js'
import { type Observation, observeAllowed, watchedRefOf } from './observation.js'
import { readinessOf } from './readiness/readiness.js'
import type { PodsView } from './readiness/workload-pods.js'

type Cluster = Pick<WorkContext, 'watched' | 'pods' | 'reads' | 'outcomes'>

/** The input for the status of a work: only what the work may report. */
export interface Evidence {
  /** Observes the object of a manifest; undefined while that is not possible yet. */
  observe(meta: ManifestResourceMeta, atLeast: string | undefined): Observation | undefined
  /** Whether the executor lacks permissions, which may be granted without the agent noticing. */
  readonly isRefused: boolean
}

/** Gathers what a work may report. Pods are included while their workloads are not ready. */
export async function gatherEvidence(work: ManifestWork, cluster: Cluster, signal: AbortSignal): Promise<Evidence> {
  const { watched, pods, reads, outcomes } = cluster
  const manifests = currentOutcome(work, outcomes.get(work.metadata))?.manifests ?? []
  const workloads = unreadyWorkloads(manifests, cluster)
  pods.want(keyOf(work.metadata), workloads)
  const targets =
    work.spec?.executor === undefined ? [] : [...objectTargets(manifests, cluster), ...podTargets(workloads, cluster)]
  const reading = await reads.of(work, targets, signal)
  return {
    isRefused: reading.isRefused,
    observe(meta, atLeast) {
      const observation = observeAllowed(watched, reading, meta, atLeast)
      if (observation?.state !== 'there') return observation
      const view = podsView(observation.object, reading, cluster)
      return view === undefined ? observation : { ...observation, pods: view }
    },
  }
}

function unreadyWorkloads(manifests: readonly ManifestOutcome[], { watched }: Cluster): DynamicObject[] {
  return manifests.flatMap(({ resourceMeta, status }) => {
    if (status !== 'True' || !isWorkload(resourceMeta.group ?? '', resourceMeta.kind ?? '')) return []
    const ref = watchedRefOf(resourceMeta)
    const object = ref && watched.get(ref)
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return []
    return readinessOf(object).progressing === undefined ? [] : [object]
  })
}

function objectTargets(manifests: readonly ManifestOutcome[], { watched }: Cluster): ReadTarget[] {
  return manifests.flatMap(({ resourceMeta }) => {
    const ref = watchedRefOf(resourceMeta)
    if (ref === undefined) return []
    return [{ ...ref, verb: 'get', state: watched.get(ref)?.metadata.resourceVersion ?? 'absent' }]
  })
}

/** One target for each namespace, because the names of pods are not known beforehand. */
function podTargets(workloads: readonly DynamicObject[], { pods }: Cluster): ReadTarget[] {
  const byNamespace = new Map<string, string[]>()
  for (const workload of workloads) {
    const { namespace = '' } = workload.metadata
    const versions = (pods.podsOf(workload) ?? []).map(({ metadata }) => `${metadata.uid}/${metadata.resourceVersion}`)
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), ...versions])
  }
  return Array.from(byNamespace, ([namespace, versions]) => ({ ...podsIn(namespace), state: versions.join(' ') }))
}

function podsView(object: DynamicObject, reading: Reading, { pods }: Cluster): PodsView | undefined {
  const known = pods.podsOf(object)
  if (known === undefined) return undefined
  const answer = reading.answer(podsIn(object.metadata.namespace ?? ''))
  if (answer === undefined) return undefined
  if (answer.refusal !== undefined) return { state: 'refused', message: answer.refusal }
  return { state: 'known', pods: known as readonly unknown[] as readonly DynamicObject[] }
}

function podsIn(namespace: string): Access {
  return { verb: 'list', group: Pod.group, version: Pod.version, resource: Pod.plural, namespace, name: '' }
}
