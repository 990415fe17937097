import type { CertificateSigningRequest } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import type { AddonContext, RegistrationRequest } from '../agent-addon.js'
import { agentSubject } from '../identity.js'
import { type CertificateSubject, type ExpectedRequest, requestProblem } from './request-check.js'

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

/**
 * Approves requests of a cluster's agent for a subject. Undefined approves none. A request is read once for a subject, however often it
 * is checked: agents can have any number of open requests, and each refusal is logged.
 */
export function subjectApprover(subjectOf: (request: RegistrationRequest) => CertificateSubject | undefined): Approver {
  const verdicts = new WeakMap<CertificateSigningRequest, Verdict>()
  return (asked, { log }) => {
    const { cluster, addon, request } = asked
    const subject = subjectOf(asked)
    if (subject === undefined) return false
    const expected = { clusterName: cluster.metadata.name, addonName: addon.metadata.name, subject }
    const known = verdicts.get(request)
    if (known !== undefined && jsonEqual(known.expected, expected)) return known.problem === undefined
    const problem = requestProblem(request, expected)
    verdicts.set(request, { expected, problem })
    if (problem !== undefined) log.warn('the certificate request is not approved', { why: problem })
    return problem === undefined
  }
}

/** What was found about a request. The objects of informers never change. */
interface Verdict {
  readonly expected: ExpectedRequest
  readonly problem: string | undefined
}
