import type {
  MandatoryDecisionGroup,
  RolloutProgressive,
  RolloutProgressivePerGroup,
  RolloutStrategy,
} from '@orrery/api'
import { durationToMilliseconds, ParseError, parseDuration } from '@orrery/kinds/values'
import { shareOf } from './share.js'

/** A rollout strategy with its defaults. */
export interface ResolvedStrategy {
  /** Whether each decision group waits for the one before it. */
  readonly byGroup: boolean
  /** How long a cluster has to be successful before the rollout continues, in milliseconds. */
  readonly minSuccessTime: number
  /** How long a cluster may take, in milliseconds. Default infinite. */
  readonly progressDeadline: number
  /** How many of `total` clusters may fail. */
  readonly maxFailures: (total: number) => number
  /** How many of `total` clusters may be in progress at the same time. */
  readonly maxConcurrency: (total: number) => number
  readonly isMandatory: (group: { readonly index: number; readonly name: string }) => boolean
}

const all = (total: number) => total

/** Parses a strategy. Throws a `RangeError` with the field that is not valid. */
export function resolveStrategy(strategy: RolloutStrategy): ResolvedStrategy {
  switch (strategy.type) {
    case 'Progressive': {
      const progressive: Partial<RolloutProgressive> = strategy.progressive ?? {}
      const { maxConcurrency = 0 } = progressive
      return {
        ...resolvePace(progressive),
        byGroup: false,
        // Zero means no limit, as upstream has it.
        maxConcurrency: (total) => countIn('maxConcurrency', maxConcurrency, total) || total,
        isMandatory: mandatoryAmong(progressive.mandatoryDecisionGroups),
      }
    }
    case 'ProgressivePerGroup': {
      const perGroup: Partial<RolloutProgressivePerGroup> = strategy.progressivePerGroup ?? {}
      return {
        ...resolvePace(perGroup),
        byGroup: true,
        maxConcurrency: all,
        isMandatory: mandatoryAmong(perGroup.mandatoryDecisionGroups),
      }
    }
    case 'All': {
      const { progressDeadline } = strategy.all ?? {}
      // All clusters get the change at once, so that neither minSuccessTime nor failures can hold it up.
      return {
        ...resolvePace(progressDeadline === undefined ? {} : { progressDeadline }),
        byGroup: false,
        maxFailures: all,
        maxConcurrency: all,
        isMandatory: () => false,
      }
    }
    default:
      throw new RangeError(`type: unknown rollout strategy ${JSON.stringify(strategy.type)}`)
  }
}

interface Pace {
  readonly minSuccessTime?: string
  readonly progressDeadline?: string
  readonly maxFailures?: number | string
}

function resolvePace({ minSuccessTime = '0', progressDeadline = 'None', maxFailures = 0 }: Pace) {
  countIn('maxFailures', maxFailures, 0)
  const isUnlimited = progressDeadline === 'None' || progressDeadline === ''
  return {
    minSuccessTime: millisecondsIn('minSuccessTime', minSuccessTime),
    progressDeadline: isUnlimited ? Number.POSITIVE_INFINITY : millisecondsIn('progressDeadline', progressDeadline),
    maxFailures: (total: number) => countIn('maxFailures', maxFailures, total),
  }
}

function millisecondsIn(field: string, text: string): number {
  try {
    return Math.max(durationToMilliseconds(parseDuration(text)), 0)
  } catch (error) {
    if (error instanceof ParseError) throw new RangeError(`${field}: ${error.message}`)
    throw error
  }
}

function countIn(field: string, value: number | string, total: number): number {
  try {
    return shareOf(value, total)
  } catch (error) {
    throw new RangeError(`${field}: ${(error as Error).message}`)
  }
}

/** A mandatory group is given by its name, or by its index if it has no name. */
function mandatoryAmong(groups: readonly MandatoryDecisionGroup[] = []): ResolvedStrategy['isMandatory'] {
  const given = new Set(groups.map(({ groupName = '', groupIndex = 0 }) => groupName || groupIndex))
  return ({ index, name }) => given.has(index) || (name !== '' && given.has(name))
}
