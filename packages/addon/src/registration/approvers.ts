import type { AddonContext, RegistrationRequest } from '../agent-addon.js'
import { agentSubject } from '../identity.js'
import { type CertificateSubject, requestProblem } from './request-check.js'

/** Whether to approve a certificate request of an add-on's agent. */
export type Approver = (request: RegistrationRequest, context: AddonContext) => boolean

/**
 * Approves requests of a cluster's agent for the default identity of an add-on's agent. This corresponds to
 * `DefaultCSRApprover` of Open Cluster Management's add-on framework, and is stricter: no other group and no other alternative
 * name is approved, and the requester has to be an agent of this very cluster.
 */
export function defaultApprover(agentName?: string): Approver {
  return subjectApprover(({ cluster, addon }) =>
    agentSubject(cluster.metadata.name, addon.metadata.name, agentName ?? addon.metadata.name),
  )
}

/** Approves requests of a cluster's agent for a subject. Undefined approves none. */
export function subjectApprover(subjectOf: (request: RegistrationRequest) => CertificateSubject | undefined): Approver {
  return (asked, { log }) => {
    const { cluster, addon, request } = asked
    const subject = subjectOf(asked)
    if (subject === undefined) return false
    const expected = { clusterName: cluster.metadata.name, addonName: addon.metadata.name, subject }
    const problem = requestProblem(request, expected)
    if (problem !== undefined) log.warn('the certificate request is not approved', { why: problem })
    return problem === undefined
  }
}
