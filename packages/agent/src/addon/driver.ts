import { tokenUser } from '@orrery/addon'
import type {
  AddOnRegistration,
  KubeClientDriver,
  KubeClientRegistration,
  ManagedClusterAddOnStatus,
} from '@orrery/api'

/** The service account of an add-on with a token. The hub creates it in the namespace of the cluster. */
export function tokenAccountOf(clusterName: string, addonName: string) {
  return { namespace: clusterName, name: `${addonName}-agent` }
}

/**
 * The status with the driver of this agent in each kubeClient registration, so that the hub knows which identity to grant
 * permissions to. With a token, the agent also determines the subject: a user without groups. The same status if nothing changes.
 */
export function withDriver(
  status: ManagedClusterAddOnStatus,
  driver: KubeClientDriver,
  clusterName: string,
  addonName: string,
): ManagedClusterAddOnStatus {
  const user = tokenUser(clusterName, addonName)
  const { registrations = [] } = status
  const changed = registrations.map((registration) => registrationWith(registration, driver, user))
  return changed.every((registration, index) => registration === registrations[index])
    ? status
    : { ...status, registrations: changed }
}

function registrationWith(
  registration: AddOnRegistration,
  driver: KubeClientDriver,
  accountUser: string,
): AddOnRegistration {
  if (registration.type !== 'kubeClient') return registration
  const { kubeClient = {} } = registration
  if (driver === 'token') {
    const { user, groups = [] } = kubeClient.subject ?? {}
    if (kubeClient.driver === driver && user === accountUser && groups.length === 0) return registration
    return { ...registration, kubeClient: { subject: { user: accountUser }, driver } }
  }
  if (kubeClient.driver === driver) return registration
  return { ...registration, kubeClient: { ...withoutTokenSubject(kubeClient, accountUser), driver } }
}

/** No certificate is issued for a service account: the default subject applies until the hub sets another. */
function withoutTokenSubject(kubeClient: KubeClientRegistration, accountUser: string): KubeClientRegistration {
  if (kubeClient.subject?.user !== accountUser) return kubeClient
  const { subject: _, ...rest } = kubeClient
  return rest
}
