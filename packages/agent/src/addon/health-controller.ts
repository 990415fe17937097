import { AddOnCondition, type ManagedClusterAddOn } from '@orrery/api'
import { findCondition, isDNS1123Label } from '@orrery/kinds/values'
import { type ControllerSpec, each, requeueAfter, requeueAt } from '@orrery/kube'
import { soonest } from '@orrery/kube/controller'
import type { ServerTime } from '@orrery/kube/credentials'
import { HUB_BACKOFF } from '../registration/registration-context.js'
import { availabilityChanged } from './addon-changes.js'
import type { Addons } from './addons.js'
import { leaseFinding, problemFindings } from './lease-finding.js'
import type { LeaseWatches } from './lease-watches.js'
import { hostingClusterOf, locationOf } from './location.js'

const NAME = 'addon-health'
/** How long a new add-on may take to start, in milliseconds: the period of Open Cluster Management's checks. */
const START_PERIOD = 30_000

/**
 * Sets the conditions of add-ons by their Leases, when a Lease changes and when it expires: Available, unless the health check mode is
 * Customized, and Degraded if the agent of the add-on reports a problem. Corresponds to the `ManagedClusterAddOnLeaseController` of
 * Open Cluster Management, which polls.
 */
export function addonHealth(addons: Addons, watches: LeaseWatches, hubTime: ServerTime): ControllerSpec {
  return {
    name: NAME,
    wakes: [each(addons.informer, undefined, { when: availabilityChanged }), watches.wake(addons.informer)],
    backoff: HUB_BACKOFF,
    async reconcile(ref, { clock, signal }) {
      const addon = addons.informer.get(ref)
      if (addon === undefined) {
        addons.forget(ref.name, NAME)
        return watches.unfollow(ref.name)
      }
      const location = locationOf(addon)
      // There is no such namespace, and a path of it would be one of something else.
      if (isDNS1123Label(location.namespace).length > 0) return watches.unfollow(ref.name)
      const leases = await watches.follow(ref.name, location)
      // Its sync wakes this controller again.
      if (!leases.synced) return
      const lease = leases.get({ namespace: location.namespace, name: ref.name })
      const problem = problemFindings(addon, lease)
      if (addon.status?.healthCheck?.mode === 'Customized') return addons.writeConditions(addon, problem, NAME, signal)
      const startTime = lease === undefined ? startsUntil(addon) - hubTime.at(clock.now()).getTime() : 0
      if (startTime > 0) return requeueAfter(startTime)
      const { finding, until } = leaseFinding(ref.name, lease, hostingClusterOf(addon), clock.now())
      const contended = await addons.writeConditions(addon, [finding, ...problem], NAME, signal)
      return soonest(clock.now(), contended, until && requeueAt(until))
    },
  }
}

/** Until when a missing Lease means nothing: the hub may not have set the health check mode yet. */
function startsUntil({ metadata, status }: ManagedClusterAddOn): number {
  const isReported = findCondition(status?.conditions, AddOnCondition.Available) !== undefined
  return isReported ? 0 : Date.parse(metadata.creationTimestamp) + START_PERIOD
}
