import { type ManifestStatus, ManifestWork, type NewManifestWork, WorkCondition } from '@orrery/api'
import { hasCondition, type KubeClient } from '@orrery/kube'

/** What the sample work is called, and the namespace it makes on every cluster. */
export const SAMPLE_WORK = 'hello'

/** A work with something to see: a Deployment, and how many of its replicas are ready. */
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
              replicas: 2,
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

/** What came back from a cluster about the sample. */
export interface SampleResult {
  readonly cluster: string
  readonly isAvailable: boolean
  /** Values that the cluster reports, by name: `ReadyReplicas`, …. */
  readonly feedback: Readonly<Record<string, string>>
}

/** Hands the sample to clusters, and resolves when all have applied it and told how it is. */
export async function runSample(
  hub: KubeClient,
  clusters: readonly string[],
  signal: AbortSignal,
): Promise<readonly SampleResult[]> {
  return Promise.all(
    clusters.map(async (cluster) => {
      await hub.apply(ManifestWork, sampleWork(cluster), { fieldManager: 'orrery-sample', force: true, signal })
      return resultFrom(hub, cluster, signal)
    }),
  )
}

async function resultFrom(hub: KubeClient, cluster: string, signal: AbortSignal): Promise<SampleResult> {
  const events = hub.watch(ManifestWork, {
    namespace: cluster,
    fieldSelector: `metadata.name=${SAMPLE_WORK}`,
    signal,
  })
  for await (const { type, object } of events) {
    if (type === 'DELETED' || type === 'BOOKMARK') continue
    const result = resultOf(cluster, object)
    if (result.isAvailable && result.feedback.ReadyReplicas === '2') return result
  }
  throw new Error(`${cluster} has not told how the sample is: see \`orrery get works\``)
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
