import { AddOnCondition, AddOnReason, type InstallProgression } from '@orrery/api'
import { type Finding, setConditions } from '@orrery/kinds/values'
import type { RolloutStatus } from '../../rollout/index.js'
import type { LayerRollout } from './rollout.js'

/** The state of a placement's rollout: its condition, and the applied configurations if it is complete. */
export function withProgress(progression: InstallProgression, rollout: LayerRollout, now: Date): InstallProgression {
  const finding = findingOf(rollout)
  const conditions = setConditions(progression.conditions, [finding], now)
  if (finding.reason !== AddOnReason.Completed) return { ...progression, conditions }
  const configReferences = (progression.configReferences ?? []).map((reference) => {
    const { desiredConfig } = reference
    if (desiredConfig === undefined) return reference
    return { ...reference, lastAppliedConfig: desiredConfig, lastKnownGoodConfig: desiredConfig }
  })
  return { ...progression, conditions, configReferences }
}

function findingOf({ layer, members, plan }: LayerRollout): Finding {
  const type = AddOnCondition.Progressing
  if ('problem' in plan) return { type, status: 'False', reason: AddOnReason.Failed, message: plan.problem }
  const next = new Set(plan.next)
  const count = (...wanted: RolloutStatus[]) =>
    [...members.keys()].filter((cluster) => wanted.includes(plan.statuses.get(cluster) as RolloutStatus)).length
  const started = [...members.keys()].filter((cluster) => next.has(cluster)).length
  const progressing = started + count('Progressing', 'Failed', 'Settling')
  const done = count('Succeeded')
  const timedOut = [...members].filter(([cluster]) => plan.statuses.get(cluster) === 'TimeOut')
  const failed = timedOut.filter(([, { progress }]) => progress.state === 'Failed').length
  const total = layer.groups.reduce((sum, { clusters }) => sum + clusters.length, 0)
  const ends = `${failed} failed ${timedOut.length} timeout.`
  const begins = `selected clusters ${layer.selected}. configured addons`
  // Without clusters nothing is complete: the next group of a rollout must not begin.
  if (total === 0 || done !== total) {
    const message = `${begins} ${progressing + done}/${total} progressing..., ${ends}`
    return { type, status: 'True', reason: AddOnReason.Progressing, message }
  }
  const message = `${begins} ${done}/${total} completed with no errors, ${ends}`
  return { type, status: 'False', reason: AddOnReason.Completed, message }
}
