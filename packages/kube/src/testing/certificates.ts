import { spawnSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { type Authority, createAuthority, generateKey } from '../pki/authority.js'
import { type Certificate, parseCertificate } from '../pki/certificate.js'
import { DistinguishedName } from '../pki/distinguished-name.js'
import { type CertificateRequestFields, issueCertificate } from '../pki/issue.js'
import { usagesFromNames } from '../pki/usages.js'

export const NOW = new Date('2026-03-01T12:00:00Z')
export const HOUR = 3_600_000

export function hoursFrom(base: Date, hours: number): Date {
  return new Date(base.getTime() + hours * HOUR)
}

/** An authority that is valid around `NOW`. */
export function testAuthority(name = 'test-ca', base = NOW): Authority {
  return createAuthority(name, generateKey().privateKey, hoursFrom(base, -1), hoursFrom(base, 24 * 365))
}

export interface Issued {
  readonly certificate: Certificate
  readonly key: KeyObject
}

/** A client certificate for a user, valid around `NOW` by default. */
export function issueClient(
  authority: Authority,
  user: { name: string; groups?: readonly string[] },
  overrides: Partial<CertificateRequestFields> = {},
): Issued {
  const { publicKey, privateKey } = generateKey()
  const der = issueCertificate({
    subject: DistinguishedName.of(user.name, user.groups),
    publicKeyDer: publicKey.export({ type: 'spki', format: 'der' }),
    usages: usagesFromNames(['digital signature', 'client auth']),
    notBefore: hoursFrom(NOW, -1),
    notAfter: hoursFrom(NOW, 24),
    issuer: authority.issuer,
    ...overrides,
  })
  return { certificate: parseCertificate(der), key: privateKey }
}

/** Runs openssl; undefined if it is not installed. */
export function openssl(args: readonly string[], input = ''): string | undefined {
  const run = spawnSync('openssl', args, { input, encoding: 'utf8' })
  if (run.error !== undefined) return undefined
  if (run.status !== 0) throw new Error(`openssl ${args.join(' ')}: ${run.stderr}`)
  return run.stdout
}
