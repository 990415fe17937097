import {
  AddOnCondition,
  AddOnReason,
  isIdentifiedBy,
  type ManagedCluster,
  type ManagedClusterAddOn,
  ManagedClusterCondition,
  type ManifestWork,
  WorkCondition,
} from '@orrery/api'
import type { Condition } from '@orrery/kinds'
import { type Finding, findCondition, hasCondition } from '@orrery/kinds/values'
import type { FieldResult, WorkProbe } from '../agent-addon.js'

/** What the availability of an add-on is determined from. */
export interface Probed {
  readonly addon: ManagedClusterAddOn
  /** The conditions of the add-on, with those of the latest deployment. */
  readonly conditions: readonly Condition[] | undefined
  readonly cluster: ManagedCluster
  /** The works that deploy the agent; in hosted mode those of the hosting cluster only. */
  readonly works: readonly ManifestWork[]
  /** Without a probe, only the application of the works counts. */
  readonly probe: WorkProbe | undefined
  /** Whether the add-on has no manifests, and therefore no works. */
  readonly isEmpty: boolean
}

/**
 * The condition Available of an add-on; undefined leaves it as it is. The first row that applies counts:
 *
 * | works and their feedback | Available |
 * | --- | --- |
 * | ManifestApplied is not known yet, or the cluster is unreachable | as it is: the hub sets it to Unknown with the cluster's |
 * | no work | Unknown WorkNotFound |
 * | a work without the condition Available | Unknown WorkNotApplied |
 * | a work that is not available | False WorkNotApplied |
 * | no feedback for any field | Unknown NoProbeResult |
 * | the probe finds a problem | False ProbeUnavailable |
 * | otherwise | True ProbeAvailable; without a probe WorkApplied |
 */
export function availability(probed: Probed): Finding | undefined {
  const { addon, conditions, cluster, works, probe, isEmpty } = probed
  if (findCondition(conditions, AddOnCondition.ManifestApplied) === undefined) return undefined
  if (hasCondition(cluster.status?.conditions, ManagedClusterCondition.Available, 'Unknown')) return undefined
  if (probe === undefined && isEmpty) return WORK_APPLIED
  if (works.length === 0) return available('Unknown', AddOnReason.WorkNotFound, 'Addon manifestWork is not found')
  const notApplied = firstNotApplied(works)
  if (notApplied !== undefined) return notApplied
  if (probe === undefined) return WORK_APPLIED
  const results = fieldResults(probe, works)
  if (probe.fields.length > 0 && results.length === 0) {
    return available('Unknown', AddOnReason.NoProbeResult, 'Probe results are not returned')
  }
  try {
    probe.check(results, cluster, addon)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return available('False', AddOnReason.ProbeUnavailable, `Probe addon unavailable with err ${why}`)
  }
  return available('True', AddOnReason.ProbeAvailable, `${addon.metadata.name} add-on is available.`)
}

function available(status: Finding['status'], reason: string, message: string): Finding {
  return { type: AddOnCondition.Available, status, reason, message }
}

const WORK_APPLIED = available('True', AddOnReason.WorkApplied, 'Addon manifestWork is applied')

function firstNotApplied(works: readonly ManifestWork[]): Finding | undefined {
  for (const { status } of works) {
    const condition = findCondition(status?.conditions, WorkCondition.Available)
    if (condition === undefined) {
      return available('Unknown', AddOnReason.WorkNotApplied, 'Addon manifestWork is not applied yet')
    }
    if (condition.status === 'False') return available('False', AddOnReason.WorkNotApplied, condition.message)
  }
  return undefined
}

/** The feedback for each field of a probe. Objects without feedback are left out. */
function fieldResults({ fields }: WorkProbe, works: readonly ManifestWork[]): FieldResult[] {
  const reported = works.flatMap(({ status }) => status?.resourceStatus?.manifests ?? [])
  return fields.flatMap(({ resource: wanted }) =>
    reported.flatMap(({ resourceMeta, statusFeedback }) => {
      const values = statusFeedback?.values ?? []
      if (values.length === 0 || !isIdentifiedBy(resourceMeta, wanted)) return []
      const { group = '', resource = '', namespace = '', name = '' } = resourceMeta
      return [
        {
          resource: { group, resource, namespace, name },
          values: Object.fromEntries(values.map(({ name: key, fieldValue }) => [key, fieldValue])),
        },
      ]
    }),
  )
}
