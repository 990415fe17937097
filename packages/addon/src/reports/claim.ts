import { ClusterClaim, isFresh, RESERVED_CLAIMS, SPOKE_ONLY_LABEL } from '@orrery/api'
import type { OwnerReference } from '@orrery/kinds'
import { isDNS1123Subdomain, isNotFound } from '@orrery/kinds/values'
import type { AddonAgent } from '../addon-agent.js'
import { recall, remember } from './memory.js'
import { checkOwn, reportLabels } from './ownership.js'
import { annotationsOf, checkValidity, freshnessFrom, freshnessOf, type Report } from './report.js'

/** A property of the cluster to report. */
export interface ClaimReport {
  /** The name of the claim: a DNS subdomain, such as `inventory.example.com`. */
  readonly name: string
  /** 1 to 1,024 characters. */
  readonly value: string
  /**
   * The owner on the managed cluster with which the claim is deleted: an object without namespace that the add-on deploys, such as its
   * ClusterRoleBinding. Default none: delete the claim with `withdrawReports` before the add-on is deleted.
   */
  readonly owner?: OwnerReference
  /** How long the claim is valid if it is not renewed, for readers on the managed cluster. Default 3600. */
  readonly validitySeconds?: number
  /** How many claims of users the agent of the cluster reports, its flag `--max-custom-cluster-claims`. Default 20. */
  readonly maxClaims?: number
}

const MAX_VALUE = 1_024
const MAX_CLAIMS = 20
const DEFAULT_VALIDITY_SECONDS = 3_600

/**
 * Reports a property that rarely changes in a ClusterClaim on the managed cluster. The agent of the cluster copies it to the status
 * of the ManagedCluster. On the hub it is as fresh as the condition Available of the ManagedCluster; on the cluster, its annotations
 * say how fresh it is. The add-on needs `get`, `list`, `create` and `patch` for ClusterClaims on the managed cluster.
 */
export async function reportClaim(agent: AddonAgent, report: ClaimReport): Promise<Report> {
  check(report)
  const { managed, clock, addonName, signal } = agent
  const { name, value, owner, validitySeconds = DEFAULT_VALIDITY_SECONDS } = report
  const known = recall(agent, ClusterClaim, name)
  const current = known ?? (await managed.find(ClusterClaim, { name }, { signal }))
  checkOwn(agent, ClusterClaim, current)
  const before = freshnessOf(current?.metadata.annotations)
  const now = clock.now()
  const isCurrent = current?.spec?.value === value && isFresh(before?.validUntil, validitySeconds, now)
  if (current !== undefined && before !== undefined && isCurrent && isOwned(current, owner)) {
    if (known === undefined) remember(agent, ClusterClaim, current)
    return { written: false, validUntil: before.validUntil }
  }
  if (current === undefined) await checkRoom(agent, report)
  const freshness = freshnessFrom(now, validitySeconds)
  const ownerReferences = owner === undefined ? {} : { ownerReferences: [owner] }
  const metadata = { name, labels: reportLabels(agent), annotations: annotationsOf(freshness), ...ownerReferences }
  const options = { fieldManager: `${addonName}-agent`, force: true, signal }
  remember(agent, ClusterClaim, await managed.apply(ClusterClaim, { metadata, spec: { value } }, options))
  return { written: true, validUntil: freshness.validUntil }
}

function isOwned({ metadata }: ClusterClaim, owner: OwnerReference | undefined): boolean {
  return owner === undefined || (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.uid)
}

/** Throws if the agent of the cluster would not report the claim, or another one instead. */
async function checkRoom(
  { managed, signal }: AddonAgent,
  { name, maxClaims = MAX_CLAIMS }: ClaimReport,
): Promise<void> {
  const { items } = await claims()
  const others = items.filter(
    ({ metadata }) => isCustom(metadata.name) && metadata.labels?.[SPOKE_ONLY_LABEL] === undefined,
  )
  if (!isCustom(name) || others.length < maxClaims) return
  throw new RangeError(
    `claim ${JSON.stringify(name)}: the cluster has ${others.length} claims, and its agent reports at most ${maxClaims}: delete a ` +
      `claim, label it with ${SPOKE_ONLY_LABEL}, or set a higher limit for the agent and as maxClaims`,
  )

  async function claims() {
    try {
      return await managed.list(ClusterClaim, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
      throw new Error(
        `claim ${JSON.stringify(name)}: the managed cluster does not serve ClusterClaims: install their CRD`,
      )
    }
  }
}

function isCustom(name: string): boolean {
  return !(RESERVED_CLAIMS as readonly string[]).includes(name)
}

function check({ name, value, validitySeconds = DEFAULT_VALIDITY_SECONDS }: ClaimReport): void {
  const what = `claim ${JSON.stringify(name)}`
  const problem = isDNS1123Subdomain(name)[0]
  if (problem !== undefined) throw new RangeError(`${what}: name: ${problem}`)
  checkValidity(what, validitySeconds)
  if (value.length >= 1 && value.length <= MAX_VALUE) return
  const has = value === '' ? 'is empty' : `has ${value.length} characters`
  throw new RangeError(`${what}: value ${has}, and a claim has 1 to ${MAX_VALUE}`)
}
