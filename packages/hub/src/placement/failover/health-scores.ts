import {
  AddOnPlacementScore,
  calculatorOf,
  ManagedClusterScore,
  PlacementFailover,
  type PlacementFailoverSpec,
  SCORE_UPDATED,
  scoreObjectName,
  scoreValidUntil,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { each, type Informer, type Informers } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { calculatorFor } from '../failover-rules.js'

const BY_SCORE = 'score'

/** The scores that one failover reads at one time. */
export interface FoundScores {
  /** Undefined if it is missing or expired. */
  scoreOf(cluster: string): number | undefined
  /** When the first of the scores that were read expires. */
  nextExpiry(): Date | undefined
}

/** The scores that failovers read. */
export class HealthScores {
  readonly #failovers: Informer<PlacementFailover>
  readonly #scores: Informer<ManagedClusterScore>
  readonly #addOnScores: Informer<AddOnPlacementScore>

  constructor(informers: Informers) {
    this.#failovers = informers.of(PlacementFailover)
    this.#scores = informers.of(ManagedClusterScore)
    this.#addOnScores = informers.of(AddOnPlacementScore)
    this.#failovers.addIndex(BY_SCORE, ({ spec }) => [scoreKey(spec)])
  }

  of(spec: PlacementFailoverSpec, now: Date): FoundScores {
    let next: Date | undefined
    return {
      scoreOf: (cluster) => {
        const { value, validUntil } = this.#read(spec, cluster) ?? {}
        if (validUntil === undefined) return value
        if (validUntil <= now) return undefined
        if (next === undefined || validUntil < next) next = validUntil
        return value
      },
      nextExpiry: () => next,
    }
  }

  /** Wakes failovers when a score that they read changes. An update of its time is no change. */
  wakes(): Wake[] {
    const readers = (key: string) => this.#failovers.byIndex(BY_SCORE, key).map(({ metadata }) => metadata)
    return [
      each(this.#scores, (score) => readers(calculatorKey(calculatorOf(score) ?? '')), {
        when: ({ before, after }) => before?.status?.score !== after?.status?.score || isRevived(before, after),
      }),
      each(this.#addOnScores, ({ metadata, status }) =>
        (status?.scores ?? []).flatMap(({ name }) => readers(addOnKey(metadata.name, name))),
      ),
    ]
  }

  #read(spec: PlacementFailoverSpec, cluster: string): { value: number; validUntil: Date | undefined } | undefined {
    const calculator = calculatorFor(spec)
    if (calculator !== undefined) {
      const score = this.#scores.get({ namespace: cluster, name: scoreObjectName(cluster, calculator) })
      const validUntil = score && scoreValidUntil(score)
      // The API server leaves out a score of 0 that Go clients write.
      return validUntil === undefined ? undefined : { value: score?.status?.score ?? 0, validUntil }
    }
    const { resourceName = '', scoreName = '' } = spec.score?.addOn ?? {}
    const { status } = this.#addOnScores.get({ namespace: cluster, name: resourceName }) ?? {}
    const value = status?.scores?.find(({ name }) => name === scoreName)?.value
    if (value === undefined) return undefined
    return { value, validUntil: status?.validUntil === undefined ? undefined : new Date(status.validUntil) }
  }
}

/** A score that was written again may have expired before. */
function isRevived(before: ManagedClusterScore | undefined, after: ManagedClusterScore | undefined): boolean {
  const [old, fresh] = [before && scoreValidUntil(before), after && scoreValidUntil(after)]
  const updated = findCondition(after?.status?.conditions, SCORE_UPDATED)?.lastUpdateTime ?? ''
  return old === undefined || fresh === undefined || old.getTime() <= Date.parse(updated)
}

function scoreKey(spec: PlacementFailoverSpec): string {
  const calculator = calculatorFor(spec)
  return calculator === undefined
    ? addOnKey(spec.score?.addOn?.resourceName ?? '', spec.score?.addOn?.scoreName ?? '')
    : calculatorKey(calculator)
}

function calculatorKey(calculator: string): string {
  return `calculator/${calculator.toLowerCase()}`
}

function addOnKey(resource: string, name: string): string {
  return `addon/${resource}/${name}`
}
