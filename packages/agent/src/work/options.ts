/** Options of the work agent. */
export interface WorkOptions {
  /** How many works are applied at the same time. Default 16. */
  readonly concurrency?: number
  /** How often a work is reconciled without a change. Default 4 to 6 minutes, with jitter. */
  readonly resyncMilliseconds?: number
  /**
   * How long objects of works that no longer exist on the hub are kept. Default 60 minutes; 100 years or more mean
   * forever.
   */
  readonly evictionGraceMilliseconds?: number
  /** The limit of watches on the cluster. Objects beyond it are polled. Default 200. */
  readonly maxWatches?: number
  /** How often objects without a watch are polled. Default 30 seconds. */
  readonly pollMilliseconds?: number
  /** The limit of a feedback value as JSON, in bytes. Default 1024, which is also the limit of hubs. */
  readonly maxJsonRawLength?: number
  /** Returns a number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
}

export type ResolvedWorkOptions = Required<WorkOptions>

const MINUTE = 60_000
/** The limit in the schema of a ManifestWork: a status with a longer value is rejected as a whole. */
const MAX_JSON_RAW = 1024

/** The options with every default filled in. */
export function resolveWorkOptions(options: WorkOptions): ResolvedWorkOptions {
  return {
    concurrency: 16,
    resyncMilliseconds: 4 * MINUTE,
    evictionGraceMilliseconds: 60 * MINUTE,
    maxWatches: 200,
    pollMilliseconds: 30_000,
    random: Math.random,
    ...options,
    maxJsonRawLength: Math.min(options.maxJsonRawLength ?? MAX_JSON_RAW, MAX_JSON_RAW),
  }
}
