import { type Container, type Draft, type EnvVar, Job, type Pod } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { podFrom } from '../pod-template.js'
import { FAILURE_COUNT, INDEX_KEY, TRACKING_FINALIZER } from './names.js'

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed'
}

/** Which of a job's indexes a pod works on. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_KEY]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** How often others have failed at a pod's index before it. */
export function earlierFailures({ metadata }: Pod): number {
  return Number(metadata.annotations?.[FAILURE_COUNT] ?? 0) || 0
}

/** A pod that stays until its end has been counted. */
export function jobPod(job: Job): Draft<Pod> {
  const pod = podFrom(job.spec.template, job, ownerReferenceTo(job, Job, { controller: true }))
  const finalizers = [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER]
  return { ...pod, metadata: { ...pod.metadata, finalizers } }
}

/** A pod for one index, which it finds in its environment. */
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
