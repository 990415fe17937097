import {
  AUTO_UPDATE_ANNOTATION,
  DEFAULT_CLUSTER_SET,
  GLOBAL_CLUSTER_SET,
  type ManagedClusterSelector,
  ManagedClusterSet,
  RegistrationEvent,
} from '@orrery/api'
import { isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, type Informer, isBeingDeleted } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { patchLocked, semanticEqual } from '@orrery/kube/write'
import type { HubContext } from '../context.js'

/** A cluster set that every hub has. */
interface DefaultSet {
  readonly clusterSelector: ManagedClusterSelector
  /** The reasons of its events. */
  readonly created: RegistrationEvent
  readonly restored: RegistrationEvent
}

const SETS: ReadonlyMap<string, DefaultSet> = new Map([
  [
    DEFAULT_CLUSTER_SET,
    {
      clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' },
      created: RegistrationEvent.DefaultSetCreated,
      restored: RegistrationEvent.DefaultSetRestored,
    },
  ],
  [
    GLOBAL_CLUSTER_SET,
    {
      clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} },
      created: RegistrationEvent.GlobalSetCreated,
      restored: RegistrationEvent.GlobalSetRestored,
    },
  ],
])

/** A merge patch keeps fields that it does not mention, so it mentions all fields of a label selector. */
const NO_LABELS = { matchLabels: null, matchExpressions: null }

/** Keeps the cluster sets `default` and `global` and their selectors, unless the auto-update annotation is false. */
export function defaultClusterSets({ client, informers, events }: HubContext): ControllerSpec {
  const sets = informers.of(ManagedClusterSet)

  async function create(name: string, { clusterSelector, created }: DefaultSet, signal: AbortSignal): Promise<void> {
    try {
      const set = await client.create(ManagedClusterSet, { metadata: { name }, spec: { clusterSelector } }, { signal })
      events.record({ regarding: set, reason: created, note: `created cluster set ${name}` })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async function restore(set: ManagedClusterSet, { clusterSelector, restored }: DefaultSet, signal: AbortSignal) {
    let isChanged = false
    const patchOf = ({ metadata, spec }: ManagedClusterSet) => {
      isChanged =
        metadata.annotations?.[AUTO_UPDATE_ANNOTATION] !== 'false' &&
        !semanticEqual(spec.clusterSelector, clusterSelector)
      if (!isChanged) return undefined
      const labelSelector = clusterSelector.labelSelector === undefined ? null : NO_LABELS
      return { spec: { clusterSelector: { ...clusterSelector, labelSelector } } }
    }
    await patchLocked(client, ManagedClusterSet, set, patchOf, { signal })
    const note = `restored the selector of cluster set ${set.metadata.name}`
    if (isChanged) events.record({ regarding: set, reason: restored, note })
  }

  return {
    name: 'default-cluster-sets',
    wakes: [atStart(sets), each(sets, ({ metadata }) => (SETS.has(metadata.name) ? metadata : undefined))],
    async reconcile({ name }, { signal }) {
      const wanted = SETS.get(name)
      if (wanted === undefined) return
      const set = sets.get({ name })
      if (set === undefined) await create(name, wanted, signal)
      else if (!isBeingDeleted(set)) await restore(set, wanted, signal)
    },
  }
}

/** Wakes the controller at the start for sets that do not exist. */
function atStart(sets: Informer<ManagedClusterSet>): Wake {
  const enqueueAll: Wake['resync'] = (enqueue) => {
    for (const name of SETS.keys()) enqueue({ name }, 'fresh')
  }
  return {
    informer: sets,
    target: ManagedClusterSet,
    start(enqueue) {
      enqueueAll(enqueue)
      return () => undefined
    },
    resync: enqueueAll,
  }
}
