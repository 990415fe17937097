import type { AppliedManifestWork } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import type { Informer, KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Discovery } from '@orrery/kube/discovery'
import type { ReadCheck } from './executor/reading.js'
import type { WorkFeatures } from './features.js'
import type { ResolvedWorkOptions } from './options.js'
import type { Outcomes } from './outcomes.js'
import type { OwnSecrets } from './own-secrets.js'
import type { WorkloadPods } from './pods/workload-pods.js'
import type { WorkSource } from './source.js'
import type { WatchedObjects } from './watched/types.js'

/** Reveals the sealed values of a manifest. */
export type Reveal = (manifest: KubeObject) => KubeObject | Promise<KubeObject>

/** Context of every controller of the work agent. */
export interface WorkContext {
  readonly source: WorkSource
  /** The agent ID in this agent's AppliedManifestWorks. */
  readonly agentId: string
  /** The cluster that works are applied to. */
  readonly spoke: KubeClient
  /** The kinds that the cluster serves. */
  readonly discovery: Discovery
  /** The AppliedManifestWorks of the cluster, of all agents. */
  readonly appliedWorks: Informer<AppliedManifestWork>
  /** The objects of works. Holders are the keys (`keyOf`) of works. */
  readonly watched: WatchedObjects
  /** The pods of workloads that are not ready. Holders as above. */
  readonly pods: WorkloadPods
  readonly outcomes: Outcomes
  /** The Secrets of the agent, which works may not use. */
  readonly ownSecrets: OwnSecrets
  /** Checks what works may report of the cluster. */
  readonly reads: ReadCheck
  readonly reveal: Reveal
  readonly clock: Clock
  readonly log: Logger
  readonly features: WorkFeatures
  readonly options: ResolvedWorkOptions
}
