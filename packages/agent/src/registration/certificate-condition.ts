import { ManagedClusterCondition, ManagedClusterReason } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import type { CredentialReport } from '@orrery/kube/credentials'

/**
 * The condition `ClusterCertificateRotated` of a ManagedCluster or ManagedClusterAddOn, with the reasons and messages of Open
 * Cluster Management. `clockProblem` is the problem with the local clock, if there is one.
 */
export function certificateCondition(report: CredentialReport, clockProblem: string | undefined): Finding {
  const type = ManagedClusterCondition.CertificateRotated
  if (report.state === 'valid') {
    const message = `client certificate rotated starting from ${goTime(report.notBefore)} to ${goTime(report.notAfter)}`
    return { type, status: 'True', reason: ManagedClusterReason.CertificateUpdated, message }
  }
  const failed = (message: string): Finding => ({
    type,
    status: 'False',
    reason: ManagedClusterReason.CertificateUpdateFailed,
    message,
  })
  switch (report.problem) {
    case 'not-created':
      return failed(`Failed to create CSR ${report.message}`)
    case 'denied':
      return failed(`Failed to rotated client certificate ${report.message}`)
    case 'too-many-requests': {
      const why = clockProblem === undefined ? '' : `; ${clockProblem}`
      return failed(`Stop creating csr since there are too many csr created already on hub${why}`)
    }
    case 'expired':
      return failed(`The certificate expired before it could be used; ${clockProblem}`)
  }
}

/** `2026-05-19 08:00:00 +0000 UTC`, as Go formats times. */
function goTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
}
