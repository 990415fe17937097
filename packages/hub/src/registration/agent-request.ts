import { AGENT_SUBJECT_PREFIX, CLUSTER_NAME_LABEL, KUBE_CLIENT_SIGNER, MANAGED_CLUSTERS_GROUP } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { readRequest } from '@orrery/kube/csr'
import { clusterNameProblem } from './cluster-name.js'

/** The agent that a certificate is for. */
export interface AgentName {
  readonly cluster: string
  readonly agent: string
  /** Its user name on the hub. */
  readonly user: string
}

/** The agent that a certificate request is for, or why it is for none. */
export type AgentRequest = { readonly agent: AgentName } | { readonly problem: string }

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
/** Agent names are part of user names, and are stored in a comma-separated list. */
const AGENT = /^[A-Za-z0-9._-]{1,253}$/
const USAGES: readonly string[] = ['digital signature', 'key encipherment', 'client auth']

/** Caches what was read. Verifying a signature takes long, and everybody who may join can send many requests. */
const readings = new WeakMap<CertificateSigningRequest, Promise<AgentRequest>>()

/**
 * Reads which agent a certificate request is for. A request of an agent has the label of its cluster, and the common name and
 * organization of that cluster and nothing else: everything else in it would be granted with it.
 */
export function readAgentRequest(request: CertificateSigningRequest): Promise<AgentRequest> {
  const known = readings.get(request)
  if (known !== undefined) return known
  const reading = read(request)
  readings.set(request, reading)
  return reading
}

async function read(request: CertificateSigningRequest): Promise<AgentRequest> {
  const cluster = request.metadata.labels?.[CLUSTER_NAME_LABEL]
  if (cluster === undefined || cluster === '') return { problem: 'it has no cluster name label' }
  const nameProblem = clusterNameProblem(cluster)
  if (nameProblem !== undefined) return { problem: nameProblem }
  if (request.spec.signerName !== KUBE_CLIENT_SIGNER) return { problem: 'it is for another signer' }
  const usageProblem = usagesProblem(request.spec.usages ?? [])
  if (usageProblem !== undefined) return { problem: usageProblem }
  const content = readContent(request)
  if (content === undefined) return { problem: 'it has no valid certificate request' }
  // Signers copy extensions, such as alternative names, into the certificate.
  const [extension] = content.extensions.keys()
  if (extension !== undefined) return { problem: `it asks for the extension ${extension}, which agents do not need` }
  const { subject } = content
  const extra = [...subject.attributes.keys()].find((type) => type !== COMMON_NAME && type !== ORGANIZATION)
  if (extra !== undefined) return { problem: `its subject has the attribute ${extra}, which agents do not need` }
  const groups = new Set(subject.organizations)
  groups.delete(MANAGED_CLUSTERS_GROUP)
  if (groups.size !== 1 || !groups.has(`${AGENT_SUBJECT_PREFIX}${cluster}`)) {
    return { problem: 'its organizations do not match the cluster in its label' }
  }
  // With two names, it depends on the reader of the certificate which one counts.
  const [user, ...others] = subject.attributes.get(COMMON_NAME) ?? []
  if (user === undefined || others.length > 0) return { problem: 'it does not have exactly one common name' }
  const agent = agentIn(user, cluster)
  if (agent === undefined) return { problem: 'its common name does not match the cluster in its label' }
  return { agent: { cluster, agent, user } }
}

function agentIn(user: string, cluster: string): string | undefined {
  const prefix = `${AGENT_SUBJECT_PREFIX}${cluster}:`
  if (!user.startsWith(prefix)) return undefined
  const agent = user.slice(prefix.length)
  return AGENT.test(agent) ? agent : undefined
}

function usagesProblem(usages: readonly string[]): string | undefined {
  if (!usages.includes('client auth')) return 'it is not for a client'
  const extra = usages.find((usage) => !USAGES.includes(usage))
  return extra === undefined ? undefined : `it asks for the usage ${JSON.stringify(extra)}, which agents do not need`
}

function readContent(request: CertificateSigningRequest) {
  try {
    return readRequest(request)
  } catch {
    // A request that cannot be parsed is not a request of an agent.
    return undefined
  }
}
