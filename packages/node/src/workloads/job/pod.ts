import { type Container, type Draft, type EnvVar, Job, type Pod } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { podFrom } from '../pod-template.js'
import { FAILURE_COUNT, INDEX_KEY, TRACKING_FINALIZER } from './names.js'

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed'
}

/** Returns the completion index of a pod. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_KEY]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** Returns how many pods of the same index failed before this one. */
export function earlierFailures({ metadata }: Pod): number {
  return Number(metadata.annotations?.[FAILURE_COUNT] ?? 0) || 0
}

/** Returns a pod with the tracking finalizer, so that it stays until its end is counted. */
export function jobPod(job: Job): Draft<Pod> {
  const pod = podFrom(job.spec.template, job, ownerReferenceTo(job, Job, { controller: true }))
  const finalizers = [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER]
  return { ...pod, metadata: { ...pod.metadata, finalizers } }
}

/** Returns a pod for one completion index, which is also in its environment. */
export function indexedPod(job: Job, index: number, failures: number): Draft<Pod> {
  const pod = jobPod(job)
  const { labels, annotations } = pod.metadata
  const text = String(index)
  const counted = job.spec.backoffLimitPerIndex === undefined ? {} : { [FAILURE_COUNT]: String(failures) }
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: `${job.metadata.name.slice(0, 52)}-${index}-`,
      labels: { ...labels, [INDEX_KEY]: text },
      annotations: { ...annotations, [INDEX_KEY]: text, ...counted },
    },
    spec: {
      ...pod.spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: pod.spec.containers.map(withIndex),
      ...(pod.spec.initContainers !== undefined && { initContainers: pod.spec.initContainers.map(withIndex) }),
    },
  }
}

const INDEX_VARIABLE: EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_KEY}']` } },
}

function withIndex(container: Container): Container {
  const env = container.env ?? []
  return env.some(({ name }) => name === INDEX_VARIABLE.name)
    ? container
    : { ...container, env: [...env, INDEX_VARIABLE] }
}
