import { AddOnPlacementScore, DEFAULT_SCORE_VALIDITY_SECONDS, isFresh } from '@orrery/api'
import { formatTime, isNotFound } from '@orrery/kinds/values'
import { isAlreadyExists, writeStatus } from '@orrery/kube'
import { semanticEqual, setOwner } from '@orrery/kube/write'
import type { AddonAgent } from '../addon-agent.js'
import { forget, recall, remember } from './memory.js'
import { checkOwn, reportLabels, reportOwner } from './ownership.js'
import { checkValidity, NOT_WRITTEN, type Report } from './report.js'

/** Scores to report. */
export interface ScoreReport {
  /** The name of the AddOnPlacementScore: `resourceName` in the prioritizer policy of a Placement. */
  readonly name: string
  /** Integers from -100 to 100 by `scoreName`. `normalizedScore` maps any number to them. */
  readonly scores: Readonly<Record<string, number>>
  /** How long the scores are valid if they are not renewed: set at least three times the time between two reports. Default 300. */
  readonly validitySeconds?: number
}

const LIMIT = 100

/**
 * Maps a number to a score: `min` and less to -100, `max` and more to 100, and linearly between them. If a larger number is worse, such
 * as a number of pods, negate the result.
 */
export function normalizedScore(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  if (!(max > min)) throw new RangeError(`normalizedScore: max must be greater than min, not ${max} and ${min}`)
  if (Number.isNaN(value)) throw new RangeError('normalizedScore: the value is not a number')
  const share = Math.max(0, Math.min(1, (value - min) / (max - min)))
  // Negative zero is not an integer in JSON.
  return Math.round(share * 2 * LIMIT - LIMIT) + 0
}

/**
 * Reports scores in an AddOnPlacementScore on the hub, for Placements. They are written when they change, and when half of their
 * validity is over; `validUntil` says how fresh they are. Placements count an expired score as 0. The hub deletes the object with
 * the ManagedClusterAddOn. The agent needs `get`, `create` and `patch` for AddOnPlacementScores in the namespace of its cluster,
 * and `patch` for their status.
 */
export async function reportScore(agent: AddonAgent, report: ScoreReport): Promise<Report> {
  const { name, validitySeconds = DEFAULT_SCORE_VALIDITY_SECONDS } = report
  checkValidity(`score ${JSON.stringify(name)}`, validitySeconds)
  const scores = itemsOf(report)
  const known = recall(agent, AddOnPlacementScore, name)
  try {
    return await write(agent, { name, scores, validitySeconds }, known)
  } catch (error) {
    // It was deleted since it was read.
    if (known === undefined || !isNotFound(error)) throw error
    forget(agent, AddOnPlacementScore, name)
    return write(agent, { name, scores, validitySeconds }, undefined)
  }
}

interface Scores {
  readonly name: string
  readonly scores: readonly { readonly name: string; readonly value: number }[]
  readonly validitySeconds: number
}

async function write(agent: AddonAgent, report: Scores, known: AddOnPlacementScore | undefined): Promise<Report> {
  const { hub, clusterName: namespace, clock, signal } = agent
  const { name, scores, validitySeconds } = report
  const current = known ?? (await hub.find(AddOnPlacementScore, { namespace, name }, { signal }))
  checkOwn(agent, AddOnPlacementScore, current)
  const now = clock.now()
  const before = new Date(current?.status?.validUntil ?? Number.NaN)
  const isCurrent = semanticEqual(current?.status?.scores, scores) && isFresh(before, validitySeconds, now)
  if (current !== undefined && isCurrent) {
    if (known === undefined) remember(agent, AddOnPlacementScore, current)
    return { written: false, validUntil: before }
  }
  const object = await owned(agent, name, current)
  if (object === undefined) return NOT_WRITTEN
  const validUntil = new Date(now.getTime() + 1_000 * validitySeconds)
  const statusOf = ({ status }: AddOnPlacementScore) => ({ ...status, scores, validUntil: formatTime(validUntil) })
  remember(agent, AddOnPlacementScore, await writeStatus(hub, AddOnPlacementScore, object, statusOf, { signal }))
  return { written: true, validUntil }
}

/** The object with its owner; created if it does not exist. The status of a new object is dropped: it needs a second request. */
async function owned(
  agent: AddonAgent,
  name: string,
  current: AddOnPlacementScore | undefined,
): Promise<AddOnPlacementScore | undefined> {
  const { hub, clusterName: namespace, signal } = agent
  const owner = await reportOwner(agent)
  if (owner === undefined) return undefined
  if (current !== undefined) return setOwner(hub, AddOnPlacementScore, current, owner, { signal })
  const metadata = { namespace, name, labels: reportLabels(agent), ownerReferences: [owner] }
  try {
    return await hub.create(AddOnPlacementScore, { metadata }, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return hub.get(AddOnPlacementScore, { namespace, name }, { signal })
  }
}

function itemsOf({ name, scores }: ScoreReport): Scores['scores'] {
  return Object.entries(scores).map(([scoreName, value]) => {
    if (scoreName === '') throw new RangeError(`score ${JSON.stringify(name)}: a score has no name: set one`)
    if (!Number.isInteger(value) || Math.abs(value) > LIMIT) {
      throw new RangeError(
        `score ${JSON.stringify(name)}: scores.${scoreName} must be an integer from -${LIMIT} to ${LIMIT}, not ${value}: ` +
          'map it with normalizedScore',
      )
    }
    return { name: scoreName, value: value + 0 }
  })
}
