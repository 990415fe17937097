/** How the work agent behaves, where the usual will not do. */
export interface WorkOptions {
  /** How many works are applied at the same time. Default 16. */
  readonly concurrency?: number
  /** How long after the last time a work is looked at again, though nothing changed. Default 4 minutes, spread to 6. */
  readonly resyncMilliseconds?: number
  /** How long objects of works that the hub no longer has are kept. Default 60 minutes; 100 years or more mean for ever. */
  readonly evictionGraceMilliseconds?: number
  /** How many watches on the cluster at most. What does not get one is asked for now and then. Default 200. */
  readonly maxWatches?: number
  /** How often what is not watched is asked for. Default 30 seconds. */
  readonly pollMilliseconds?: number
  /** How many bytes a feedback value may have as JSON. Default 1024, which is also the most that hubs take. */
  readonly maxJsonRawLength?: number
  /** From 0 to 1: spreads waiting times. Default `Math.random`. */
  readonly random?: () => number
}

export type ResolvedWorkOptions = Required<WorkOptions>

const MINUTE = 60_000
/** As the schema of a ManifestWork has it: a status with a longer value is refused as a whole. */
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
