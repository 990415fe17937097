import type { ManifestWork, ManifestWorkStatus } from '@orrery/api'
import type { Informer, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'

/** For every request to a source. */
export interface SourceOptions {
  readonly signal?: AbortSignal
}

/**
 * Where the works of one cluster come from and where their status goes. The work agent reads and writes works through this
 * interface alone, so it does not depend on the transport: a hub's API (`KubeSource`), or CloudEvents over gRPC or MQTT.
 *
 * A source that receives works as events fills a `LocalInformer`: it sets a work for a create or update event, sets
 * `metadata.deletionTimestamp` for a delete event, and replaces all works after a resync. In `release` it sends the final
 * status and deletes the work from the informer.
 */
export interface WorkSource {
  /** The name of the cluster, which is the namespace of its works. */
  readonly clusterName: string
  /**
   * Identifies the hub in names on the cluster: AppliedManifestWorks of different hubs must not collide. Open Cluster
   * Management's `hubHash`; see `hubHashOf`.
   */
  readonly hubHash: string
  /** The works of the cluster. */
  readonly works: Informer<ManifestWork>
  /** Whether a work is held. Depends on the object alone. */
  isHeld(work: ManifestWork): boolean
  /** Ensures that a deleted work stays until it is released. Resolves with the updated work. */
  hold(work: ManifestWork, options?: SourceOptions): Promise<ManifestWork>
  /** Releases a deleted work when none of its objects are left on the cluster. */
  release(work: ManifestWork, options?: SourceOptions): Promise<void>
  /**
   * Writes the status that `statusOf` returns for the current work. Sends nothing when nothing changed, calls `statusOf` again
   * after a conflicting write, and does nothing for a work that is gone.
   */
  writeStatus(
    work: ManifestWork,
    statusOf: (current: ManifestWork) => ManifestWorkStatus | undefined,
    options?: SourceOptions,
  ): Promise<void>
  /**
   * Whether the hub has a work of this name. Asked before the objects of a missing work are deleted, so a source that can ask
   * the hub does so instead of reading the informer.
   */
  exists(name: string, options?: SourceOptions): Promise<boolean>
}

/** A source with a connection of its own. */
export interface ClosableSource extends WorkSource {
  close(): Promise<void>
}

/** What a source needs to connect. */
export interface SourceIdentity {
  /** The name of the cluster whose works are requested. */
  readonly clusterName: string
  readonly clock: Clock
  readonly log: Logger
  /** Values that outlive the agent. Default: none do. */
  readonly state?: SourceState
}

/** Values of a source that a restart of the agent must not lose. */
export interface SourceState {
  /** All values, by key. */
  read(): Promise<Readonly<Record<string, string>>>
  write(key: string, value: string): Promise<void>
}

/** Connects to a source of works. The caller closes it after the work agent. */
export type OpenSource = (identity: SourceIdentity) => Promise<ClosableSource>
