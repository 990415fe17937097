import { AddOnCondition, type ManagedClusterAddOn } from '@orrery/api'
import { findCondition, jsonEqual } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import type { Predicate } from '@orrery/kube/controller'
import { hostingClusterOf, locationOf } from './location.js'

/** What of an add-on concerns its credentials. */
export const credentialsChanged: Predicate<ManagedClusterAddOn> = changeOf((addon) => [
  isBeingDeleted(addon),
  locationOf(addon),
  addon.status?.registrations,
  ...conditionsOf(
    addon,
    AddOnCondition.CertificateRotated,
    AddOnCondition.TokenRefreshed,
    AddOnCondition.TokenInfrastructureReady,
  ),
])

/** What of an add-on concerns its availability. */
export const availabilityChanged: Predicate<ManagedClusterAddOn> = changeOf((addon) => [
  locationOf(addon),
  hostingClusterOf(addon),
  addon.status?.healthCheck?.mode,
  ...conditionsOf(addon, AddOnCondition.Available, AddOnCondition.Degraded),
])

/** An add-on changes with each of its many conditions: most changes concern other controllers. */
function changeOf(essence: (addon: ManagedClusterAddOn) => unknown): Predicate<ManagedClusterAddOn> {
  return ({ before, after }) =>
    before === undefined ||
    after === undefined ||
    before.metadata.uid !== after.metadata.uid ||
    !jsonEqual(essence(before), essence(after))
}

function conditionsOf({ status }: ManagedClusterAddOn, ...types: string[]) {
  return types.map((type) => findCondition(status?.conditions, type))
}
