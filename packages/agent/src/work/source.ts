import type { ManifestWork, ManifestWorkStatus } from '@orrery/api'
import type { Informer } from '@orrery/kube'

/** For every request to a source. */
export interface SourceOptions {
  readonly signal?: AbortSignal
}

/** Where works come from, and where their status goes: the agent does not care how they travel. */
export interface WorkSource {
  /** The works for this cluster. */
  readonly works: Informer<ManifestWork>
  /** Makes sure that the work stays until the agent lets go of it. Resolves with the work as it is then. */
  addFinalizer(work: ManifestWork, options?: SourceOptions): Promise<ManifestWork>
  /** Lets go of a work that is being deleted. */
  removeFinalizer(work: ManifestWork, options?: SourceOptions): Promise<void>
  /**
   * Makes the status what `statusOf` says about the current work. Nothing is sent when nothing changed; when somebody
   * else has written, `statusOf` is asked again. A work that is gone is no failure.
   */
  writeStatus(
    work: ManifestWork,
    statusOf: (current: ManifestWork) => ManifestWorkStatus | undefined,
    options?: SourceOptions,
  ): Promise<void>
  /** Asks where the works come from, not the local copy, whether there is a work of this name. */
  exists(name: string, options?: SourceOptions): Promise<boolean>
  /** Ends what the source has under way. */
  close(): Promise<void>
}
