import { AddOnCondition, AddOnReason, ClusterManagementAddOn, ManagedClusterAddOn, Placement } from '@orrery/api'
import { findCondition, isNotFound, jsonEqual, setConditions } from '@orrery/kinds/values'
import {
  type ControllerSpec,
  each,
  generationChanged,
  isBeingDeleted,
  requeueAt,
  writeConditions,
  writeStatus,
} from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { annotationsChanged, anyOf, type Predicate, soonest } from '@orrery/kube/controller'
import type { HubContext } from '../../context.js'
import { inParallel } from '../../parallel.js'
import type { PlacementDecisions } from '../../placement/index.js'
import { throttled } from '../../throttled.js'
import { type AddOnInformers, isManagedByHub } from '../addon-informers.js'
import { pauseFor } from '../pause.js'
import type { DesiredConfigs } from './desired-configs.js'
import { referencesStatus } from './install-progressions.js'
import { layersOf, type PlacementReader } from './layers.js'
import { progressOf } from './progress.js'
import { withProgress } from './progression.js'
import { desiredOn, mergedReferences } from './references.js'
import { type ClusterReader, type LayerRollout, planLayer } from './rollout.js'

const { Configured, Progressing } = AddOnCondition

const CONFIGURED = {
  type: Configured,
  status: 'True',
  reason: AddOnReason.ConfigurationsConfigured,
  message: 'Configurations configured',
} as const

const NOT_CONFIGURED = {
  type: Configured,
  status: 'False',
  reason: AddOnReason.ConfigurationsNotConfigured,
  message: 'Configurations updated and not configured yet',
} as const

/** A change that the rollout of an add-on depends on. Its availability is none. */
const rolloutChanged: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  !jsonEqual(before?.status?.configReferences, after?.status?.configReferences) ||
  [Configured, Progressing].some(
    (type) =>
      !jsonEqual(findCondition(before?.status?.conditions, type), findCondition(after?.status?.conditions, type)),
  )

const hashesChanged: Predicate<ClusterManagementAddOn> = ({ before, after }) =>
  !jsonEqual(before?.status, after?.status)

/** What an add-on on a cluster gets: these configurations now, or later. */
interface Step {
  readonly addOn: ManagedClusterAddOn
  readonly inherited: DesiredConfigs
  readonly when: 'now' | 'later'
}

/**
 * Determines the configurations of add-ons and rolls them out. The configurations of the ManagedClusterAddOn take precedence over those
 * of the placement, and these over the defaults of the definition. The rollout strategy of the placement decides when a cluster gets
 * them.
 */
export function addOnConfiguration(
  context: HubContext,
  informers: AddOnInformers,
  decisions: PlacementDecisions,
): ControllerSpec {
  const { client, clock } = context
  const { addOns, definitions } = informers
  const placements = context.informers.of(Placement)

  const placementReader: PlacementReader = {
    view: (placement) => decisions.view(placement),
    groupSize: (placement) =>
      placements.get(placement)?.spec?.decisionStrategy?.groupStrategy?.clustersPerDecisionGroup,
  }

  function clusterReader(name: string): ClusterReader {
    return {
      addOnOn(cluster) {
        const addOn = addOns.get({ namespace: cluster, name })
        return addOn === undefined || isBeingDeleted(addOn) ? undefined : addOn
      },
      isExpectedOn: (cluster) => informers.acceptedCluster(cluster) !== undefined,
    }
  }

  async function write({ addOn, inherited, when }: Step, call: CallOptions): Promise<void> {
    try {
      if (when === 'later') {
        await writeConditions(client, ManagedClusterAddOn, addOn, [NOT_CONFIGURED], { clock, ...call })
        return
      }
      const now = clock.now()
      const statusOf = (current: ManagedClusterAddOn) => ({
        ...current.status,
        configReferences: mergedReferences(current.status?.configReferences, desiredOn(current, inherited)),
        conditions: setConditions(current.status?.conditions, [CONFIGURED], now),
      })
      await writeStatus(client, ManagedClusterAddOn, addOn, statusOf, call)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async function report(
    definition: ClusterManagementAddOn,
    rollouts: readonly LayerRollout[],
    now: Date,
    call: CallOptions,
  ): Promise<void> {
    const statusOf = (current: ClusterManagementAddOn) => {
      const status = referencesStatus(current)
      const installProgressions = status.installProgressions?.map((progression) => {
        const { namespace, name } = progression
        const rollout = rollouts.find(({ layer: { placement } }) => {
          return placement.namespace === namespace && placement.name === name
        })
        return rollout === undefined ? progression : withProgress(progression, rollout, now)
      })
      return { ...status, ...(installProgressions !== undefined && { installProgressions }) }
    }
    await writeStatus(client, ClusterManagementAddOn, definition, statusOf, call)
  }

  return {
    name: 'addon-configuration',
    concurrency: 2,
    wakes: [
      each(definitions, undefined, { when: anyOf(generationChanged, annotationsChanged, hashesChanged) }),
      throttled(
        each(addOns, ({ metadata }) => ({ name: metadata.name }), { when: anyOf(generationChanged, rolloutChanged) }),
        clock,
        pauseFor(informers),
      ),
      ...decisions.wakes((placement) => informers.installedBy(placement)),
    ],
    async reconcile({ name }, { signal }) {
      const definition = definitions.get({ name })
      if (definition === undefined || isBeingDeleted(definition)) return undefined
      const call = { signal }
      const now = clock.now()
      if (!isManagedByHub(definition)) {
        await report(definition, [], now, call)
        return undefined
      }
      const layers = layersOf(definition, referencesStatus(definition), placementReader)
      const reader = clusterReader(name)
      const rollouts = layers.placements.map((layer) => planLayer(layer, reader, now))
      const placed = new Set(rollouts.flatMap(({ members }) => [...members.keys()]))
      const others = layers.isComplete
        ? informers.onClusters(name).filter((addOn) => !isBeingDeleted(addOn) && !placed.has(addOn.metadata.namespace))
        : []
      const steps = [
        ...rollouts.flatMap(stepsOf),
        ...others.map((addOn): Step => ({ addOn, inherited: layers.defaults, when: 'now' })),
      ].filter((step) => !isTaken(step, now))
      const failures = await inParallel(steps, (step) => write(step, call))
      await report(definition, rollouts, now, call)
      if (failures.length > 0) throw failures[0]
      const rechecks = rollouts.map(({ plan }) => ('recheckAt' in plan ? plan.recheckAt : undefined))
      return soonest(now, ...rechecks.map((at) => at && requeueAt(at)))
    },
  }
}

function stepsOf({ layer, members, plan }: LayerRollout): Step[] {
  if ('problem' in plan) return []
  const next = new Set(plan.next)
  return [...members].map(([cluster, { addOn, progress }]) => ({
    addOn,
    inherited: layer.configs,
    when: progress.state === 'ToApply' && !next.has(cluster) ? 'later' : 'now',
  }))
}

/** Whether an add-on is as a step leaves it. Most are: to compare their whole status each time takes long. */
function isTaken({ addOn, inherited, when }: Step, now: Date): boolean {
  const wanted = when === 'now' ? CONFIGURED : NOT_CONFIGURED
  const condition = findCondition(addOn.status?.conditions, Configured)
  if (condition?.status !== wanted.status || condition.reason !== wanted.reason) return false
  return when === 'later' || progressOf(addOn, desiredOn(addOn, inherited), now).state !== 'ToApply'
}
