import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { automaticAcceptance } from './automaticacceptance.js'
import { clockSync } from './clocksync.js'
import { clusterAcceptance } from './clusteracceptance.js'
import { accessInformers, ClusterAccess } from './clusteraccess.js'
import { clusterLease } from './clusterlease.js'
import { clusterTaints } from './clustertaints.js'
import { requestApproval } from './requestapproval.js'
import { sharedRoles } from './sharedroles.js'

export { type AgentName, type AgentRequest, readAgentRequest } from './agentrequest.js'
export {
  agentRoleName,
  agentRules,
  REGISTRATION_ROLE,
  REGISTRATION_RULES,
  registrationBindingName,
  WORK_ROLE,
  WORK_RULES,
  workBindingName,
} from './agentroles.js'

export { clusterNameProblem } from './clustername.js'

/** The controllers by which clusters join, show that they live, and leave. */
export function registrationControllers(context: HubContext): ControllerSpec[] {
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
