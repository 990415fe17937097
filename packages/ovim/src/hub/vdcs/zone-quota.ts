import type { Organization, ZoneQuota } from '../../kinds/organization.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { numberOf } from '../placing/zone-choice.js'

export const QUOTA_RESOURCES = ['cpu', 'memory', 'storage', 'virtualMachines'] as const

/** Why a virtual data center is more than its organization may have in a zone. */
export interface ZoneQuotaProblem {
  readonly resource: (typeof QUOTA_RESOURCES)[number]
  readonly message: string
}

/** A virtual data center, or the draft of one. */
export interface QuotaCandidate {
  readonly uid?: string | undefined
  readonly quota?: VirtualDataCenter['spec']['quota']
}

export function zoneQuotaOf(organization: Organization | undefined, zone: string): ZoneQuota | undefined {
  return organization?.spec.zoneQuotas?.find((quota) => quota.zone === zone)
}

/** What the virtual data centers of an organization may use in a zone, without one of them. */
export function usedInZone(vdcs: readonly VirtualDataCenter[], zone: string, except?: string): Record<string, number> {
  const others = vdcs.filter(({ metadata, status }) => status?.zone === zone && metadata.uid !== except)
  const sum = (resource: (typeof QUOTA_RESOURCES)[number]) =>
    others.reduce((total, { spec }) => total + numberOf(spec.quota?.[resource]), 0)
  return Object.fromEntries(QUOTA_RESOURCES.map((resource) => [resource, sum(resource)]))
}

/**
 * Compares the quota of a virtual data center, with those of the organization's others in the zone, with what the organization may have
 * there. A virtual data center without a limit could take everything: it needs one.
 */
export function zoneQuotaProblem(
  candidate: QuotaCandidate,
  zone: string,
  organization: Organization | undefined,
  vdcs: readonly VirtualDataCenter[],
): ZoneQuotaProblem | undefined {
  const limits = zoneQuotaOf(organization, zone)
  if (organization === undefined || limits === undefined) return undefined
  const used = usedInZone(vdcs, zone, candidate.uid)
  const where = `organization ${organization.metadata.name} in zone ${zone}`
  for (const resource of QUOTA_RESOURCES) {
    const [limit, wanted] = [limits[resource], candidate.quota?.[resource]]
    if (limit === undefined) continue
    if (wanted === undefined) return { resource, message: `required: ${where} has a quota of ${limit}` }
    if ((used[resource] ?? 0) + numberOf(wanted) > numberOf(limit)) {
      const message = `quota of ${where} exceeded: ${wanted} requested, ${used[resource]} of ${limit} in use`
      return { resource, message }
    }
  }
  return undefined
}
