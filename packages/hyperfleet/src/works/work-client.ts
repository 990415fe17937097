import type { ManifestWork, NewManifestWork } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'

export interface RequestOptions {
  readonly signal?: AbortSignal
}

/** What an adapter needs of the works of one consumer. The client of `@orrery/maestro` has it. */
export interface Works {
  get(name: string, options?: RequestOptions): Promise<ManifestWork>
  list(options?: RequestOptions): Promise<{ readonly items: readonly ManifestWork[] }>
  create(work: NewManifestWork, options?: RequestOptions): Promise<ManifestWork>
  /** Applies a JSON merge patch (RFC 7386). */
  patch(name: string, patch: JsonObject, options?: RequestOptions): Promise<ManifestWork>
  delete(name: string, options?: RequestOptions): Promise<unknown>
}

/** Errors are `StatusError`s. */
export interface WorkClient {
  manifestWorks(consumer: string): Works
}

/** Works whose changes can be followed. */
export interface WatchableWorks extends Works {
  /** An event for the work of this name if it exists, and for each of its changes, until the signal is aborted. */
  watch(options: { readonly name: string; readonly signal: AbortSignal }): AsyncIterable<unknown>
}

export interface WatchableWorkClient extends WorkClient {
  manifestWorks(consumer: string): WatchableWorks
}
