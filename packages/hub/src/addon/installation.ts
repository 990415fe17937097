import {
  type ClusterManagementAddOn,
  type ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
} from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { type ControllerSpec, each, generationChanged, isBeingDeleted, requeueAfter, requeueAt } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { annotationsChanged, anyOf, conditionChanged, type Requeue, soonest } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import { inParallel } from '../parallel.js'
import {
  hasDecisions,
  type PlacementDecisions,
  type PlacementView,
  readPlacement,
  selectedClusters,
} from '../placement/index.js'
import { throttled } from '../throttled.js'
import { type AddOnInformers, isInstalledByPlacement, placementsOf } from './addon-informers.js'
import { ADDON_INSTALL_MANAGER, appliedAddOn } from './applied-addon.js'
import { pauseFor } from './pause.js'

/** How soon the namespace of a cluster that was just accepted is expected. */
const NAMESPACE_MILLISECONDS = 5_000

/**
 * Installs add-ons on the clusters that their placements select, and removes them from the others. While a placement does not
 * exist or has no decisions yet, nothing is removed: no placement does not mean no clusters.
 */
export function addOnInstallation(
  context: HubContext,
  informers: AddOnInformers,
  decisions: PlacementDecisions,
): ControllerSpec {
  const { client, clock } = context
  const { addOns, clusters, definitions } = informers

  /** An add-on that exists where its placements want it changes nothing. */
  function isInstalledAsWanted({ metadata: { namespace, name } }: ManagedClusterAddOn): boolean {
    const definition = definitions.get({ name })
    if (definition === undefined || !isInstalledByPlacement(definition)) return true
    if (addOns.get({ namespace, name }) === undefined) return false
    const wanted = placementsOf(definition)
    const selecting = decisions.placementsOf(namespace)
    return selecting.some((one) => wanted.some((other) => isSamePlacement(one, other)))
  }

  const installedOn = ({ metadata }: ManagedCluster): ObjectRef[] =>
    decisions.placementsOf(metadata.name).flatMap((placement) => informers.installedBy(placement))

  /** Installs an add-on on clusters. Those that are not accepted wake the controller again when they are. */
  async function install(
    definition: ClusterManagementAddOn,
    names: readonly string[],
    call: CallOptions,
  ): Promise<{ failures: unknown[]; again: Requeue | undefined }> {
    let again: Requeue | undefined
    const failures = await inParallel(names, async (name) => {
      const cluster = informers.acceptedCluster(name)
      if (cluster === undefined) return
      try {
        const wanted = appliedAddOn(definition, cluster)
        await client.apply(ManagedClusterAddOn, wanted, { fieldManager: ADDON_INSTALL_MANAGER, force: true, ...call })
      } catch (error) {
        if (!isNotFound(error)) throw error
        again = requeueAfter(NAMESPACE_MILLISECONDS)
      }
    })
    return { failures, again }
  }

  /** Removes an add-on from clusters that no placement selects, by decisions that are read now: informers lag behind. */
  async function uninstall(
    definition: ClusterManagementAddOn,
    installed: readonly ManagedClusterAddOn[],
    call: CallOptions,
  ): Promise<{ failures: unknown[]; again: Requeue | undefined }> {
    const live = await Promise.all(
      placementsOf(definition).map((placement) => readPlacement(client, placement, clock.now(), call)),
    )
    if (!live.every(isComplete)) {
      const settledAt = live.flatMap((view) => view.settledAt ?? []).sort((a, b) => a.getTime() - b.getTime())[0]
      return { failures: [], again: settledAt && requeueAt(settledAt) }
    }
    const selected = new Set(live.flatMap(selectedClusters))
    const obsolete = installed.filter(({ metadata }) => !selected.has(metadata.namespace))
    const failures = await inParallel(obsolete, ({ metadata }) =>
      client.ensureDeleted(ManagedClusterAddOn, metadata, { preconditions: { uid: metadata.uid }, ...call }),
    )
    return { failures, again: undefined }
  }

  return {
    name: 'addon-installation',
    concurrency: 2,
    wakes: [
      each(definitions, undefined, { when: anyOf(generationChanged, annotationsChanged) }),
      throttled(
        each(addOns, (addOn) => (isInstalledAsWanted(addOn) ? undefined : { name: addOn.metadata.name }), {
          when: ({ type }) => type !== 'updated',
        }),
        clock,
        pauseFor(informers),
      ),
      ...decisions.wakes((placement) => informers.installedBy(placement)),
      throttled(
        each(clusters, installedOn, {
          when: anyOf<ManagedCluster>(generationChanged, conditionChanged(ManagedClusterCondition.HubAccepted)),
        }),
        clock,
        pauseFor(informers),
      ),
    ],
    async reconcile({ name }, { signal }) {
      const definition = informers.managedDefinition(name)
      if (definition === undefined || isBeingDeleted(definition) || !isInstalledByPlacement(definition)) return
      const call = { signal }
      const installed = informers.onClusters(name)
      const has = new Set(installed.map(({ metadata }) => metadata.namespace))
      const views = placementsOf(definition).map((placement) => decisions.view(placement))
      const selected = new Set(views.flatMap(selectedClusters))
      const missing = [...selected].filter((cluster) => !has.has(cluster))
      const installation = await install(definition, missing, call)
      const unwanted = installed.filter((addOn) => !isBeingDeleted(addOn) && !selected.has(addOn.metadata.namespace))
      // The views of informers are enough to see that there is nothing to remove.
      const removal =
        unwanted.length > 0 && views.every(hasDecisions) ? await uninstall(definition, unwanted, call) : undefined
      const failures = [...installation.failures, ...(removal?.failures ?? [])]
      if (failures.length > 0) throw failures[0]
      return soonest(clock.now(), installation.again, removal?.again)
    },
  }
}

/** Whether a cluster that is not among the decisions is not selected. */
function isComplete({ state }: PlacementView): boolean {
  return state === 'decided'
}

function isSamePlacement(a: ObjectRef, b: ObjectRef): boolean {
  return a.name === b.name && a.namespace === b.namespace
}
