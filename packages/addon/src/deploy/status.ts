import { AddOnCondition, type HealthCheckMode, ManagedClusterAddOn, type ManagedClusterAddOnStatus } from '@orrery/api'
import type { Condition } from '@orrery/kinds'
import { type Finding, hasCondition, isNotFound, removeCondition, setConditions } from '@orrery/kinds/values'
import type { ReconcileContext } from '@orrery/kube'
import { writeStatus } from '@orrery/kube'
import { appliedFinding } from './applied-condition.js'

/** What the deploy controller reports in the status of an add-on. */
export interface Report {
  readonly findings: readonly Finding[]
  /** Conditions to remove if they are False: failures that are outdated. */
  readonly outdated: readonly string[]
  /** Conditions to remove. */
  readonly gone: readonly string[]
  /** The mode of the health check; undefined leaves it as it is. */
  readonly mode: HealthCheckMode | undefined
  /** Determines the condition Available from the conditions after the report. */
  available(conditions: readonly Condition[]): Finding | undefined
}

/** Writes a report, if it changes anything. Undefined if the add-on is gone. */
export async function writeReport(
  addon: ManagedClusterAddOn,
  report: Report,
  { client, clock, signal }: Pick<ReconcileContext, 'client' | 'clock' | 'signal'>,
): Promise<ManagedClusterAddOn | undefined> {
  const now = clock.now()
  try {
    return await writeStatus(client, ManagedClusterAddOn, addon, ({ status }) => statusAfter(status, report, now), {
      signal,
    })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Reports why nothing could be deployed. */
export async function reportProblem(
  addon: ManagedClusterAddOn,
  problem: string,
  run: Pick<ReconcileContext, 'client' | 'clock' | 'signal'>,
): Promise<void> {
  const finding = appliedFinding(AddOnCondition.ManifestApplied, { problem })
  const findings = finding === undefined ? [] : [finding]
  await writeReport(addon, { findings, outdated: [], gone: [], mode: undefined, available: () => undefined }, run)
}

/** The status with a report. */
function statusAfter(
  status: ManagedClusterAddOnStatus | undefined,
  { findings, outdated, gone, mode, available }: Report,
  now: Date,
): ManagedClusterAddOnStatus {
  let conditions: readonly Condition[] = status?.conditions ?? []
  for (const type of outdated)
    if (hasCondition(conditions, type, 'False')) conditions = removeCondition(conditions, type)
  for (const type of gone) conditions = removeCondition(conditions, type)
  conditions = setConditions(conditions, findings, now)
  const found = available(conditions)
  if (found !== undefined) conditions = setConditions(conditions, [found], now)
  return { ...status, conditions, ...(mode !== undefined && { healthCheck: { ...status?.healthCheck, mode } }) }
}
