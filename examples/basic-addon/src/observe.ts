import { Namespace, Pod } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { serverVersion } from '@orrery/kube/discovery'

/** A pod in the report. */
export interface ReportedPod {
  readonly name: string
  readonly namespace: string
  /** Its phase. */
  readonly status: string
  readonly nodeName?: string
}

/** What the agent reports about its cluster. */
export interface Observation {
  readonly pods: readonly ReportedPod[]
  readonly namespaceCount: number
  /** The version of Kubernetes, such as `v1.34.0`. */
  readonly version: string
}

/** Reads the cluster. Pods are read in pages, and only the fields of the report are kept. */
export async function observe(client: KubeClient, signal: AbortSignal): Promise<Observation> {
  const pods: ReportedPod[] = []
  for await (const { items } of client.pages(Pod, { signal })) pods.push(...items.map(reported))
  let namespaceCount = 0
  for await (const { items } of client.pages(Namespace, { signal })) namespaceCount += items.length
  const { gitVersion } = await serverVersion(client, { signal })
  return { pods, namespaceCount, version: gitVersion }
}

function reported({ metadata: { name, namespace = '' }, spec, status }: Pod): ReportedPod {
  const { nodeName = '' } = spec
  return { name, namespace, status: status?.phase ?? 'Unknown', ...(nodeName !== '' && { nodeName }) }
}
