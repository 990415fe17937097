import {
  AUTO_UPDATE_ANNOTATION,
  DEFAULT_CLUSTER_SET,
  GLOBAL_CLUSTER_SET,
  type ManagedClusterSelector,
  ManagedClusterSet,
} from '@orrery/api'
import {
  type ControllerSpec,
  each,
  type Informer,
  isAlreadyExists,
  isBeingDeleted,
  patchLocked,
  semanticEqual,
  type Wake,
} from '@orrery/kube'
import type { HubContext } from '../context.js'

const SELECTORS: ReadonlyMap<string, ManagedClusterSelector> = new Map([
  [DEFAULT_CLUSTER_SET, { selectorType: 'ExclusiveClusterSetLabel' }],
  [GLOBAL_CLUSTER_SET, { selectorType: 'LabelSelector', labelSelector: {} }],
])

/** A merge patch leaves what it does not name, so it names all that a selector by labels can have. */
const NO_LABELS = { matchLabels: null, matchExpressions: null }

/** Keeps the sets that every hub has, and what they select, unless their annotation says to leave them alone. */
export function defaultClusterSets({ client, informers }: HubContext): ControllerSpec {
  const sets = informers.of(ManagedClusterSet)
  return {
    name: 'default-cluster-sets',
    wakes: [fromTheStart(sets), each(sets, ({ metadata }) => (SELECTORS.has(metadata.name) ? metadata : undefined))],
    async reconcile({ name }, { signal }) {
      const clusterSelector = SELECTORS.get(name)
      if (clusterSelector === undefined) return
      const set = sets.get({ name })
      if (set === undefined) {
        await client
          .create(ManagedClusterSet, { metadata: { name }, spec: { clusterSelector } }, { signal })
          .catch((error: unknown) => {
            if (!isAlreadyExists(error)) throw error
          })
        return
      }
      const patchOf = ({ metadata, spec }: ManagedClusterSet) => {
        if (metadata.annotations?.[AUTO_UPDATE_ANNOTATION] === 'false') return undefined
        if (semanticEqual(spec.clusterSelector, clusterSelector)) return undefined
        const labelSelector = clusterSelector.labelSelector === undefined ? null : NO_LABELS
        return { spec: { clusterSelector: { ...clusterSelector, labelSelector } } }
      }
      if (!isBeingDeleted(set)) await patchLocked(client, ManagedClusterSet, set, patchOf, { signal })
    },
  }
}

/** Looks at the sets once at the start, when there may be none to be woken by. */
function fromTheStart(sets: Informer<ManagedClusterSet>): Wake {
  const enqueueAll: Wake['resync'] = (enqueue) => {
    for (const name of SELECTORS.keys()) enqueue({ name }, 'fresh')
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
