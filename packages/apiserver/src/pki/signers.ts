import type { CertificateRequest } from '@orrery/kube/pki'

export const SIGNER_CLIENT = 'kubernetes.io/kube-apiserver-client'
export const SIGNER_KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet'
export const SIGNER_KUBELET_SERVING = 'kubernetes.io/kubelet-serving'
export const SIGNER_LEGACY_UNKNOWN = 'kubernetes.io/legacy-unknown'

type SignerRule = (csr: CertificateRequest, usages: readonly string[]) => string | undefined

const RULES: ReadonlyMap<string, SignerRule> = new Map([
  [SIGNER_CLIENT, (_, usages) => clientUsageProblem(usages)],
  [SIGNER_KUBELET_CLIENT, kubeletClientProblem],
  [SIGNER_KUBELET_SERVING, kubeletServingProblem],
  [SIGNER_LEGACY_UNKNOWN, () => undefined],
])

/** Returns whether this server signs for a signer. */
export function isBuiltInSigner(signerName: string): boolean {
  return RULES.has(signerName)
}

/** Returns why a built-in signer refuses the request; undefined if it accepts it. */
export function signerProblem(
  signerName: string,
  csr: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  return RULES.get(signerName)?.(csr, usages)
}

const CLIENT_USAGES = new Set(['digital signature', 'key encipherment', 'client auth'])

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !CLIENT_USAGES.has(usage))
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}

function kubeletClientProblem(csr: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dns, emails, ips, uris } = csr.altNames
  if (!isNodeOrganization(csr)) return 'subject organization is not system:nodes'
  if (dns.length > 0) return 'DNS subjectAltNames are not allowed'
  if (emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (ips.length > 0) return 'IP subjectAltNames are not allowed'
  if (uris.length > 0) return 'URI subjectAltNames are not allowed'
  if (!isNodeName(csr)) return 'subject common name does not begin with system:node:'
  return nodeUsageProblem(usages, 'client auth')
}

function kubeletServingProblem(csr: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dns, emails, ips, uris } = csr.altNames
  if (!isNodeOrganization(csr)) return 'subject organization is not system:nodes'
  if (dns.length === 0 && ips.length === 0) return 'DNS or IP subjectAltName is required'
  if (emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (uris.length > 0) return 'URI subjectAltNames are not allowed'
  const usageProblem = nodeUsageProblem(usages, 'server auth')
  if (usageProblem !== undefined) return usageProblem
  return isNodeName(csr) ? undefined : 'subject common name does not begin with system:node:'
}

/** Requires exactly these usages; only `key encipherment` (for RSA keys) may be missing. */
function nodeUsageProblem(usages: readonly string[], role: 'client auth' | 'server auth'): string | undefined {
  const asked = new Set(usages)
  const rest = asked.size - (asked.has('key encipherment') ? 1 : 0)
  if (rest === 2 && asked.has('digital signature') && asked.has(role)) return undefined
  return `usages did not match [${[role, 'digital signature', 'key encipherment'].sort().join(' ')}]`
}

function isNodeOrganization({ subject }: CertificateRequest): boolean {
  return subject.organizations.length === 1 && subject.organizations[0] === 'system:nodes'
}

function isNodeName({ subject }: CertificateRequest): boolean {
  return subject.commonName.startsWith('system:node:')
}
