import { AGENT_SUBJECT_PREFIX, CLUSTER_NAME_LABEL, KUBE_CLIENT_SIGNER, MANAGED_CLUSTERS_GROUP } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { requestCertificate } from '@orrery/kube/csr'

export interface AgentCsr {
  readonly cluster: string
  readonly agent?: string
  readonly commonName?: string
  readonly organizations?: readonly string[]
  readonly labels?: Record<string, string>
  readonly signerName?: string
}

/** Requests the certificate of an agent, as agents do by default. */
export async function askForCertificate(client: KubeClient, csr: AgentCsr): Promise<CertificateSigningRequest> {
  const { cluster, agent = 'agent1' } = csr
  const group = `${AGENT_SUBJECT_PREFIX}${cluster}`
  const { request } = await requestCertificate(client, {
    generateName: `${cluster}-`,
    signerName: csr.signerName ?? KUBE_CLIENT_SIGNER,
    commonName: csr.commonName ?? `${group}:${agent}`,
    organizations: csr.organizations ?? [group, MANAGED_CLUSTERS_GROUP],
    labels: csr.labels ?? { [CLUSTER_NAME_LABEL]: cluster },
  })
  return request
}
