import { AGENT_SUBJECT_PREFIX, CSR_USER_ANNOTATION, HUB_NAMESPACE } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { readRequest } from '@orrery/kube/csr'
import type { CertificateRequest } from '@orrery/kube/pki'

/** The subject that a certificate may have. */
export interface CertificateSubject {
  readonly user: string
  readonly groups: readonly string[]
  readonly organizationUnits?: readonly string[]
}

/** Whom a request has to come from, and what it may ask for. */
export interface ExpectedRequest {
  readonly clusterName: string
  readonly addonName: string
  readonly subject: CertificateSubject
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const ORGANIZATIONAL_UNIT = '2.5.4.11'
const ALT_NAMES = '2.5.29.17'

const USAGES: readonly string[] = ['digital signature', 'key encipherment', 'client auth']

/** Older versions of Open Cluster Management's framework request it. Every user is in this group anyway. */
const EVERYBODY = 'system:authenticated'

/** It requests certificates for agents that are connected by gRPC, and records the agent in an annotation. */
const GRPC_SERVER = `system:serviceaccount:${HUB_NAMESPACE}:grpc-server-sa`

/**
 * Why a certificate request of an add-on's agent must not be approved; undefined if it may be. The request comes from the agent of
 * the cluster, and has the expected subject and nothing else: everything else in it would be granted with it.
 */
export function requestProblem(request: CertificateSigningRequest, expected: ExpectedRequest): string | undefined {
  if (!isByAgentOf(expected.clusterName, request)) {
    return `it was not created by the agent of the cluster ${JSON.stringify(expected.clusterName)}`
  }
  const { usages = [] } = request.spec
  if (!usages.includes('client auth')) return 'it is not for a client'
  const usage = usages.find((name) => !USAGES.includes(name))
  if (usage !== undefined) return `it asks for the usage ${JSON.stringify(usage)}, which agents do not need`
  const content = contentOf(request)
  if (typeof content === 'string') return content
  return subjectProblem(content, expected.subject) ?? extensionProblem(content, expected.addonName)
}

/**
 * The colons matter: the agent of `cluster10` is not an agent of `cluster1`. The names of agents of add-ons continue with
 * `cluster:NAME:addon:`; they are not agents of a cluster with the name `cluster`.
 */
function isByAgentOf(clusterName: string, { metadata, spec }: CertificateSigningRequest): boolean {
  const user = (spec.username === GRPC_SERVER ? metadata.annotations?.[CSR_USER_ANNOTATION] : spec.username) ?? ''
  const prefix = `${AGENT_SUBJECT_PREFIX}${clusterName}:`
  return user.startsWith(prefix) && !user.slice(prefix.length).includes(':')
}

function contentOf(request: CertificateSigningRequest): CertificateRequest | string {
  try {
    return readRequest(request)
  } catch (error) {
    return `it has no valid certificate request: ${(error as Error).message}`
  }
}

function subjectProblem(
  { subject: { attributes, organizations } }: CertificateRequest,
  { user, groups, organizationUnits = [] }: CertificateSubject,
): string | undefined {
  const extra = [...attributes.keys()].find(
    (type) => type !== COMMON_NAME && type !== ORGANIZATION && type !== ORGANIZATIONAL_UNIT,
  )
  if (extra !== undefined) return `its subject has the attribute ${extra}, which agents do not need`
  // With two names, it depends on the reader of the certificate which one counts.
  const names = attributes.get(COMMON_NAME) ?? []
  if (names.length !== 1 || names[0] !== user) return `its common name is not ${JSON.stringify(user)}`
  const requested = organizations.filter((group) => group !== EVERYBODY || groups.includes(EVERYBODY))
  if (!haveSameMembers(requested, groups)) return `its organizations are not ${JSON.stringify(groups)}`
  if (!haveSameMembers(attributes.get(ORGANIZATIONAL_UNIT) ?? [], organizationUnits)) {
    return `its organizational units are not ${JSON.stringify(organizationUnits)}`
  }
  return undefined
}

/** Signers copy extensions into the certificate. Agents request one alternative name. */
function extensionProblem({ extensions, altNames }: CertificateRequest, addonName: string): string | undefined {
  const extension = [...extensions.keys()].find((type) => type !== ALT_NAMES)
  if (extension !== undefined) return `it asks for the extension ${extension}, which agents do not need`
  const { dns, ...others } = altNames
  const allowed = `${addonName}.addon.open-cluster-management.io`
  const isOther = (names: readonly unknown[]) => names.length > 0
  if (dns.some((name) => name !== allowed) || Object.values(others).some(isOther)) {
    return `it asks for other alternative names than ${allowed}`
  }
  return undefined
}

function haveSameMembers(one: readonly string[], other: readonly string[]): boolean {
  const members = new Set(one)
  return members.size === new Set(other).size && other.every((member) => members.has(member))
}
