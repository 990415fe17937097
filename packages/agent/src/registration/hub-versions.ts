/** The resource versions of a hub that an agent has seen. */
export interface HubVersions {
  /** When the ManagedCluster was created. */
  readonly made: string | undefined
  /** When the lease was last renewed. */
  readonly last: string | undefined
  readonly now: string | undefined
}

/**
 * How far resource versions are bumped when a hub is restored, so that none is issued twice. Our own server bumps
 * them, and Kubernetes recommends it for etcd (`--bump-revision`).
 */
const RESTORE_JUMP = 1_000_000_000n
const VERSION = /^[1-9]\d{0,18}$/

/**
 * Whether a hub was restored to a time before the ManagedCluster was created. Resource versions only grow. A version
 * below that of the creation proves it. So does a version that is below it once the bump of a restore is subtracted,
 * if it came too fast to have grown. In doubt the result is false.
 */
export function isFromBefore({ made, last, now }: HubVersions): boolean {
  const [madeAt, lastAt, nowAt] = [made, last, now].map(versionOf)
  if (madeAt === undefined || nowAt === undefined) return false
  if (nowAt < madeAt) return true
  return lastAt !== undefined && nowAt - lastAt > RESTORE_JUMP / 2n && nowAt - RESTORE_JUMP < madeAt
}

function versionOf(text: string | undefined): bigint | undefined {
  return text !== undefined && VERSION.test(text) ? BigInt(text) : undefined
}
