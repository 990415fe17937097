import {
  AddOnPlacementScore,
  DEFAULT_SCORE_VALIDITY_SECONDS,
  isFresh,
  ManagedCluster,
  ManagedClusterScore,
  type ManagedClusterScoreCondition,
  type ManagedClusterScoreStatus,
  SCORE_UPDATED,
  SCORE_VALIDITY_ANNOTATION,
  scoreObjectName,
  scoreValidUntil,
} from '@orrery/api'
import type { ApiObject, Draft, Kind, ObjectRef } from '@orrery/kinds'
import { formatTime, setCondition } from '@orrery/kinds/values'
import { type Informer, isAlreadyExists, type KubeClient, ownerReferenceTo, writeStatus } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { type Calculator, validityOf } from './calculator.js'
import { addOnScoreValue, scoreValue } from './score-value.js'

const UPDATED = {
  type: SCORE_UPDATED,
  status: 'True',
  reason: SCORE_UPDATED,
  message: 'ManagedClusterScore updated successfully',
} as const

export interface ScorePublisherOptions {
  /** The hub. */
  readonly client: KubeClient
  readonly clock: Clock
  readonly scores: Informer<ManagedClusterScore>
  /** Needed if a calculator has an `addOnScore`. */
  readonly addOnScores: Informer<AddOnPlacementScore> | undefined
}

/**
 * Writes scores to the hub: when they change, and when half of their validity is over. The objects belong to the
 * ManagedCluster and are deleted with it.
 */
export class ScorePublisher {
  readonly #options: ScorePublisherOptions

  constructor(options: ScorePublisherOptions) {
    this.#options = options
  }

  async publish(
    calculator: Calculator,
    cluster: ManagedCluster,
    calculated: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (calculated === undefined) return
    const score = scoreValue(calculator.name, cluster.metadata.name, calculated)
    await this.#publishScore(calculator, cluster, score, signal)
    if (calculator.addOnScore !== undefined) await this.#publishAddOnScore(calculator, cluster, score, signal)
  }

  async #publishScore(calculator: Calculator, cluster: ManagedCluster, score: number, signal: AbortSignal) {
    const { client, clock, scores } = this.#options
    const namespace = cluster.metadata.name
    const ref = { namespace, name: scoreObjectName(namespace, calculator.name) }
    const validity = validityOf(calculator)
    const annotations = annotationsFor(validity)
    let object = scores.get(ref)
    if (object === undefined) object = await this.#create(ManagedClusterScore, ref, cluster, annotations, signal)
    if (object.metadata.annotations?.[SCORE_VALIDITY_ANNOTATION] !== annotations[SCORE_VALIDITY_ANNOTATION]) {
      const validitySeconds = annotations[SCORE_VALIDITY_ANNOTATION] ?? null
      const patch = { metadata: { annotations: { [SCORE_VALIDITY_ANNOTATION]: validitySeconds } } }
      object = await client.patch(ManagedClusterScore, ref, patch as never, { signal })
    }
    const now = clock.now()
    if (object.status?.score === score && isFresh(scoreValidUntil(object), validity, now)) return
    await writeStatus(client, ManagedClusterScore, object, ({ status }) => statusWith(status, score, now), { signal })
  }

  async #publishAddOnScore(calculator: Calculator, cluster: ManagedCluster, score: number, signal: AbortSignal) {
    const { client, clock, addOnScores } = this.#options
    const { resourceName = '', scoreName = '' } = calculator.addOnScore ?? {}
    const ref = { namespace: cluster.metadata.name, name: resourceName }
    const value = addOnScoreValue(score)
    const validity = validityOf(calculator)
    const object = addOnScores?.get(ref) ?? (await this.#create(AddOnPlacementScore, ref, cluster, {}, signal))
    const now = clock.now()
    const [known, ...others] = object.status?.scores ?? []
    const isSame = known?.name === scoreName && known.value === value && others.length === 0
    if (isSame && isFresh(timeOf(object.status?.validUntil), validity, now)) return
    const validUntil = formatTime(new Date(now.getTime() + 1_000 * validity))
    const statusOf = ({ status }: AddOnPlacementScore) => ({
      ...status,
      scores: [{ name: scoreName, value }],
      validUntil,
    })
    await writeStatus(client, AddOnPlacementScore, object, statusOf, { signal })
  }

  async #create<T extends ApiObject, New extends object>(
    kind: Kind<T, New>,
    ref: { readonly namespace: string; readonly name: string },
    cluster: ManagedCluster,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<T> {
    const metadata = { ...ref, annotations, ownerReferences: [ownerReferenceTo(cluster, ManagedCluster)] }
    try {
      return await this.#options.client.create(kind, { metadata } as Draft<T> & New, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return this.#options.client.get(kind, ref as ObjectRef, { signal })
    }
  }
}

/** The default validity needs no annotation. */
function annotationsFor(validity: number): Readonly<Record<string, string>> {
  return validity === DEFAULT_SCORE_VALIDITY_SECONDS ? {} : { [SCORE_VALIDITY_ANNOTATION]: String(validity) }
}

function statusWith(
  status: ManagedClusterScoreStatus | undefined,
  score: number,
  now: Date,
): ManagedClusterScoreStatus {
  const conditions = setCondition<ManagedClusterScoreCondition>(status?.conditions, UPDATED, now)
  const lastUpdateTime = formatTime(now)
  return {
    conditions: conditions.map((one) => (one.type === SCORE_UPDATED ? { ...one, lastUpdateTime } : one)),
    score,
  }
}

function timeOf(text: string | undefined): Date | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time)
}
