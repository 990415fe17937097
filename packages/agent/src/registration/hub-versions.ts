/** What an agent knows of the versions of a hub. */
export interface HubVersions {
  /** When the hub took note of the cluster. */
  readonly made: string | undefined
  /** When it last heard of the agent. */
  readonly last: string | undefined
  readonly now: string | undefined
}

/**
 * How far versions jump where hubs are restored, so that none is given twice: our own server does it, and so does whoever
 * restores etcd as Kubernetes advises (`--bump-revision`).
 */
const RESTORE_JUMP = 1_000_000_000n
const VERSION = /^[1-9]\d{0,18}$/

/**
 * Whether a hub was put back to a time before it took note of the cluster. Versions only grow: one that is smaller than
 * that at which the ManagedCluster was made proves it, and so does one that is smaller but for the jump of a restore, if it
 * has come too quickly to be anything else. In doubt, it was not.
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
