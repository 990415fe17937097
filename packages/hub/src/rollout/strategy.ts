import type {
  MandatoryDecisionGroup,
  RolloutProgressive,
  RolloutProgressivePerGroup,
  RolloutStrategy,
} from '@orrery/api'
import { durationToMilliseconds, ParseError, parseDuration } from '@orrery/kinds/values'
import { shareOf } from './share.js'

/** A rollout strategy with all that it leaves open filled in. */
export interface ResolvedStrategy {
  /** Whether each group waits for the one before it. */
  readonly byGroup: boolean
  /** For how long a cluster is to be well, in milliseconds. */
  readonly minSuccessTime: number
  /** For how long a cluster may take, in milliseconds; infinite by default. */
  readonly progressDeadline: number
  /** How many of so many clusters may fail. */
  readonly maxFailures: (total: number) => number
  /** How many of so many clusters may be under way at the same time. */
  readonly maxConcurrency: (total: number) => number
  readonly isMandatory: (group: { readonly index: number; readonly name: string }) => boolean
}

const all = (total: number) => total

/** Reads a strategy. Throws a `RangeError` that names the field which cannot be read. */
export function resolveStrategy(strategy: RolloutStrategy): ResolvedStrategy {
  switch (strategy.type) {
    case 'Progressive': {
      const progressive: Partial<RolloutProgressive> = strategy.progressive ?? {}
      const { maxConcurrency = 0 } = progressive
      return {
        ...resolvePace(progressive),
        byGroup: false,
        // Without a number there is no limit, and upstream takes zero for no number.
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
    default: {
      const { progressDeadline } = strategy.all ?? {}
      // What goes to all at once waits for nobody: whether clusters are well for long, or fail, stops nothing.
      return {
        ...resolvePace(progressDeadline === undefined ? {} : { progressDeadline }),
        byGroup: false,
        maxFailures: all,
        maxConcurrency: all,
        isMandatory: () => false,
      }
    }
  }
}

interface Pace {
  readonly minSuccessTime?: string
  readonly progressDeadline?: string
  readonly maxFailures?: number | string
}

function resolvePace({ minSuccessTime = '0', progressDeadline = 'None', maxFailures = 0 }: Pace) {
  countIn('maxFailures', maxFailures, 0)
  const isEndless = progressDeadline === 'None' || progressDeadline === ''
  return {
    minSuccessTime: millisecondsIn('minSuccessTime', minSuccessTime),
    progressDeadline: isEndless ? Number.POSITIVE_INFINITY : millisecondsIn('progressDeadline', progressDeadline),
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

/** A group is named, or goes by its index when no name is given. */
function mandatoryAmong(groups: readonly MandatoryDecisionGroup[] = []): ResolvedStrategy['isMandatory'] {
  return ({ index, name }) =>
    groups.some(({ groupName = '', groupIndex = 0 }) => (groupName === '' ? groupIndex === index : groupName === name))
}
