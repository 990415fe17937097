import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { automaticAcceptance } from './automatic-acceptance.js'
import { clockSync } from './clock-sync.js'
import { clusterAcceptance } from './cluster-acceptance.js'
import { accessInformers, ClusterAccess } from './cluster-access.js'
import { clusterLease } from './cluster-lease.js'
import { addClusterMetrics } from './cluster-metrics.js'
import { clusterTaints } from './cluster-taints.js'
import { requestApproval } from './request-approval.js'
import { sharedRoles } from './shared-roles.js'

export { type AgentName, type AgentRequest, readAgentRequest } from './agent-request.js'
export {
  agentRoleName,
  REGISTRATION_ROLE,
  registrationBindingName,
  WORK_ROLE,
  workBindingName,
} from './agentroles.js'

export { clusterNameProblem } from './cluster-name.js'

/** The part for registration: clusters join, renew their leases, and leave. */
export function registrationControllers(context: HubContext): ControllerSpec[] {
  addClusterMetrics(context)
  const access = new ClusterAccess(context, accessInformers(context.informers))
  return [
    requestApproval(context, access),
    clusterAcceptance(context, access),
    ...(context.features.ManagedClusterAutoApproval ? [automaticAcceptance(context)] : []),
    sharedRoles(context),
    clusterLease(context),
    clockSync(context),
    clusterTaints(context),
  ]
}
