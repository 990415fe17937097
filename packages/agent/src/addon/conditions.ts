import { AddOnCondition, AddOnReason } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import type { CredentialReport } from '@orrery/kube/credentials'
import { certificateCondition } from '../registration/certificate-condition.js'
import type { Identity } from './credential.js'

/** The state of one credential of an add-on. */
export interface IdentityReport {
  readonly type: Identity['type']
  readonly report: CredentialReport
}

/** The conditions for the credentials of an add-on, with the reasons and messages of Open Cluster Management. */
export function credentialConditions(
  reports: readonly IdentityReport[],
  account: { readonly namespace: string; readonly name: string },
  clockProblem: string | undefined,
): Finding[] {
  const certificate = decisive(reports, 'certificate')
  const token = decisive(reports, 'token')
  return [
    ...(certificate === undefined ? [] : [certificateCondition(certificate, clockProblem)]),
    ...(token === undefined ? [] : [tokenCondition(token, account)]),
  ]
}

/** All credentials of a type share a condition: it shows a failure, else the one that was issued last. */
function decisive(reports: readonly IdentityReport[], type: Identity['type']): CredentialReport | undefined {
  let last: CredentialReport | undefined
  for (const { type: found, report } of reports) {
    if (found !== type) continue
    if (report.state === 'failed') return report
    if (last?.state !== 'valid' || report.notBefore > last.notBefore) last = report
  }
  return last
}

function tokenCondition(
  report: CredentialReport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Finding {
  const type = AddOnCondition.TokenRefreshed
  if (report.state === 'valid') {
    const message = `Addon token refreshed, expires at ${report.notAfter.toISOString().slice(0, 19)}Z`
    return { type, status: 'True', reason: AddOnReason.TokenRefreshed, message }
  }
  const what =
    report.problem === 'not-created' ? `failed to create token for ServiceAccount ${namespace}/${name}: ` : ''
  const message = `Failed to create token: ${what}${report.message}`
  return { type, status: 'False', reason: AddOnReason.TokenCreationFailed, message }
}
