import { type Authority, type CertificateRequest, encodePem, issueCertificate, usagesFromNames } from '@orrery/kube/pki'

export const SIGNER_CLIENT = 'kubernetes.io/kube-apiserver-client'
export const SIGNER_KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet'
export const SIGNER_KUBELET_SERVING = 'kubernetes.io/kubelet-serving'
export const SIGNER_LEGACY_UNKNOWN = 'kubernetes.io/legacy-unknown'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Certificates start a little in the past, for clients whose clocks are behind. */
const BACKDATE = 5 * MINUTE
/** Below this, the backdating is not taken off the end. */
const SHORT_LIVED = 8 * HOUR
const MIN_DURATION = 10 * MINUTE
/** What a certificate gets at most, and when it does not ask. */
export const DEFAULT_MAX_DURATION = 365 * 24 * HOUR

type SignerRule = (csr: CertificateRequest, usages: readonly string[]) => string | undefined

const RULES: ReadonlyMap<string, SignerRule> = new Map([
  [SIGNER_CLIENT, (_, usages) => clientUsageProblem(usages)],
  [SIGNER_KUBELET_CLIENT, kubeletClientProblem],
  [SIGNER_KUBELET_SERVING, kubeletServingProblem],
  [SIGNER_LEGACY_UNKNOWN, () => undefined],
])

/** Whether a signer is one this server signs for. */
export function isBuiltInSigner(signerName: string): boolean {
  return RULES.has(signerName)
}

/** Why a built-in signer will not sign the request; undefined when it will. */
export function signerProblem(
  signerName: string,
  csr: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  return RULES.get(signerName)?.(csr, usages)
}

export interface SigningOptions {
  readonly csr: CertificateRequest
  readonly usages: readonly string[]
  /** `spec.expirationSeconds`; undefined for the maximum. */
  readonly expirationSeconds: number | undefined
  readonly authority: Authority
  readonly now: Date
  /** Milliseconds. Default one year. */
  readonly maxDuration?: number
}

/**
 * Signs an approved request and returns the PEM of the certificate. Subject and alternative names come from the request,
 * usages from the API object, everything else from the signer.
 */
export function signRequest(options: SigningOptions): string {
  const { csr, authority, now } = options
  const { notBefore, notAfter } = signingWindow(options)
  if (notBefore >= authority.certificate.notAfter) {
    throw new Error(`the signer has expired: NotAfter=${authority.certificate.notAfter.toISOString()}`)
  }
  if (now >= authority.certificate.notAfter) {
    const expiry = authority.certificate.notAfter.toISOString()
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${expiry}`)
  }
  const der = issueCertificate({
    subject: csr.subject,
    altNames: csr.altNames,
    publicKeyDer: csr.publicKeyDer,
    usages: usagesFromNames(options.usages),
    notBefore,
    notAfter,
    issuer: authority.issuer,
  })
  return encodePem('CERTIFICATE', der)
}

function signingWindow(options: SigningOptions): { notBefore: Date; notAfter: Date } {
  const { now, authority, expirationSeconds, maxDuration = DEFAULT_MAX_DURATION } = options
  const wanted = expirationSeconds === undefined ? maxDuration : expirationSeconds * 1000
  const duration = Math.min(Math.max(wanted, MIN_DURATION), maxDuration)
  const end = now.getTime() + (duration < SHORT_LIVED ? duration : duration - BACKDATE)
  return {
    notBefore: new Date(now.getTime() - BACKDATE),
    notAfter: new Date(Math.min(end, authority.certificate.notAfter.getTime())),
  }
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

/** Exactly these usages, of which only `key encipherment` (for RSA keys) may be left out. */
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
