import { ADDON_PROBLEM_ANNOTATION } from '@orrery/api'
import { Lease, type OwnerReference } from '@orrery/kinds'
import { formatMicroTime, isConflict } from '@orrery/kinds/values'
import { type ControllerSpec, requeueAfter } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import type { ConnectedAgent } from './connect.js'
import type { HubDenials } from './hub-denials.js'
import { noInformer } from './periodically.js'

/** The renewal of a Lease that was never renewed. Open Cluster Management's agent does not accept a Lease without one. */
const NEVER = new Date(0)
/** Others write the Lease at the same time: the LeaseUpdater. */
const CONFLICT_MILLISECONDS = 100

/**
 * Writes what the hub denies the agent into the annotations of the Lease of the add-on: the one object that every agent can write, and
 * that the agent of the cluster watches. That agent reports it to the hub.
 */
export function reportDenials(
  { local, addonName: name, addonNamespace: namespace }: ConnectedAgent,
  owner: OwnerReference | undefined,
  denials: HubDenials,
): ControllerSpec {
  return {
    name: 'hub-denials',
    wakes: [wakeOf(denials, { name })],
    async reconcile(_, { signal }) {
      const { problem } = denials
      const lease = await local.find(Lease, { namespace, name }, { signal })
      const { annotations: { [ADDON_PROBLEM_ANNOTATION]: before, ...others } = {} } = lease?.metadata ?? {}
      if (before === problem) return undefined
      const annotations = problem === undefined ? others : { ...others, [ADDON_PROBLEM_ANNOTATION]: problem }
      if (lease === undefined) {
        const ownerReferences = owner === undefined ? {} : { ownerReferences: [owner] }
        const metadata = { namespace, name, annotations, ...ownerReferences }
        await local.create(Lease, { metadata, spec: { renewTime: formatMicroTime(NEVER) } }, { signal })
        return undefined
      }
      try {
        await local.update(Lease, { ...lease, metadata: { ...lease.metadata, annotations } }, { signal })
      } catch (error) {
        if (!isConflict(error)) throw error
        return requeueAfter(CONFLICT_MILLISECONDS)
      }
      return undefined
    },
  }
}

/** Wakes a controller at the start, since an earlier process may have left a problem, and when the problem changes. */
function wakeOf(denials: HubDenials, ref: { readonly name: string }): Wake {
  return {
    informer: noInformer(),
    start(enqueue) {
      enqueue(ref, 'fresh')
      return denials.subscribe(() => enqueue(ref, 'fresh'))
    },
    resync: (enqueue) => enqueue(ref, 'resync'),
  }
}
