import { setMaxListeners } from 'node:events'
import { type ManifestStatus, ManifestWork, type NewManifestWork, WorkCondition } from '@orrery/api'
import { hasCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'

/** The name of the sample work, and of the namespace it creates on every cluster. */
export const SAMPLE_WORK = 'hello'
const SAMPLE_REPLICAS = 2

/** A sample work: a Deployment, with feedback on its ready replicas. */
export function sampleWork(cluster: string): NewManifestWork {
  const labels = { app: SAMPLE_WORK }
  return {
    metadata: { name: SAMPLE_WORK, namespace: cluster },
    spec: {
      workload: {
        manifests: [
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SAMPLE_WORK } },
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'greeting', namespace: SAMPLE_WORK },
            data: { text: `Hello from the hub, ${cluster}` },
          },
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: SAMPLE_WORK, namespace: SAMPLE_WORK },
            spec: {
              replicas: SAMPLE_REPLICAS,
              selector: { matchLabels: labels },
              template: {
                metadata: { labels },
                spec: { containers: [{ name: SAMPLE_WORK, image: 'registry.k8s.io/pause:3.10' }] },
              },
            },
          },
        ],
      },
      manifestConfigs: [
        {
          resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: SAMPLE_WORK, name: SAMPLE_WORK },
          feedbackRules: [{ type: 'WellKnownStatus' }],
        },
      ],
    },
  }
}

/** The result of the sample on a cluster. */
export interface SampleResult {
  readonly cluster: string
  readonly isAvailable: boolean
  /** Feedback values by name: `ReadyReplicas`, …. */
  readonly feedback: Readonly<Record<string, string>>
}

/** Creates the sample work for clusters, and resolves when all have applied it and reported feedback. */
export async function runSample(
  hub: KubeClient,
  clusters: readonly string[],
  signal: AbortSignal,
): Promise<readonly SampleResult[]> {
  // Many requests listen to it at once.
  setMaxListeners(0, signal)
  await Promise.all(
    clusters.map((cluster) =>
      hub.apply(ManifestWork, sampleWork(cluster), { fieldManager: 'orrery-sample', force: true, signal }),
    ),
  )
  const results = new Map<string, SampleResult>()
  const isDone = ({ isAvailable, feedback }: SampleResult) =>
    isAvailable && feedback.ReadyReplicas === String(SAMPLE_REPLICAS)
  const allDone = () =>
    clusters.every((cluster) => {
      const result = results.get(cluster)
      return result !== undefined && isDone(result)
    })
  for await (const { type, object } of hub.watch(ManifestWork, {
    fieldSelector: `metadata.name=${SAMPLE_WORK}`,
    signal,
  })) {
    if (type === 'BOOKMARK' || type === 'DELETED') continue
    const { namespace } = object.metadata
    results.set(namespace, resultOf(namespace, object))
    if (allDone()) return clusters.flatMap((cluster) => results.get(cluster) ?? [])
  }
  throw new Error('not all clusters have reported on the sample work: see `orrery get works`')
}

function resultOf(cluster: string, work: ManifestWork): SampleResult {
  const { conditions = [], resourceStatus } = work.status ?? {}
  const manifests: readonly ManifestStatus[] = resourceStatus?.manifests ?? []
  const values = manifests.flatMap(({ statusFeedback }) => statusFeedback?.values ?? [])
  return {
    cluster,
    isAvailable: hasCondition(conditions, WorkCondition.Available, 'True'),
    feedback: Object.fromEntries(
      values.map(({ name, fieldValue }) => [
        name,
        String(fieldValue.integer ?? fieldValue.string ?? fieldValue.boolean),
      ]),
    ),
  }
}
