import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CredentialReport } from '@orrery/kube/credentials'
import { credentialConditions, type IdentityReport } from './conditions.js'

const account = { namespace: 'c1', name: 'hello-agent' }
const certificate = (report: CredentialReport): IdentityReport => ({ type: 'certificate', report })
const token = (report: CredentialReport): IdentityReport => ({ type: 'token', report })
const valid = (day: number): CredentialReport => ({
  state: 'valid',
  notBefore: new Date(Date.UTC(2026, 2, day)),
  notAfter: new Date(Date.UTC(2026, 3, day)),
})
const failed = (problem: 'not-created' | 'too-many-requests' | 'denied' | 'expired'): CredentialReport => ({
  state: 'failed',
  problem,
  message: 'boom',
})
const ROTATED = 'ClusterCertificateRotated'
const certificateFailed = (message: string) => [ROTATED, 'False', 'ClientCertificateUpdateFailed', message]

const cases: readonly [what: string, IdentityReport[], string[][]][] = [
  ['no report', [], []],
  [
    'a valid certificate',
    [certificate(valid(1))],
    [
      [
        ROTATED,
        'True',
        'ClientCertificateUpdated',
        'client certificate rotated starting from 2026-03-01 00:00:00 +0000 UTC to 2026-04-01 00:00:00 +0000 UTC',
      ],
    ],
  ],
  [
    'a request that was not created',
    [certificate(failed('not-created'))],
    [certificateFailed('Failed to create CSR boom')],
  ],
  [
    'a denied request',
    [certificate(failed('denied'))],
    [certificateFailed('Failed to rotated client certificate boom')],
  ],
  [
    'too many requests',
    [certificate(failed('too-many-requests'))],
    [certificateFailed('Stop creating csr since there are too many csr created already on hub')],
  ],
  [
    'a failed certificate besides a valid one',
    [certificate(valid(1)), certificate(failed('denied'))],
    [certificateFailed('Failed to rotated client certificate boom')],
  ],
  [
    'a valid token',
    [token(valid(1))],
    [['TokenRefreshed', 'True', 'AddonTokenRefreshed', 'Addon token refreshed, expires at 2026-04-01T00:00:00Z']],
  ],
  [
    'a token that was not created',
    [token(failed('not-created'))],
    [
      [
        'TokenRefreshed',
        'False',
        'TokenCreationFailed',
        'Failed to create token: failed to create token for ServiceAccount c1/hello-agent: boom',
      ],
    ],
  ],
]

for (const [what, reports, expected] of cases) {
  test(`credentialConditions: ${what}`, () => {
    const found = credentialConditions(reports, account, undefined)
    assert.deepEqual(
      found.map(({ type, status, reason, message }) => [type, status, reason, message]),
      expected,
    )
  })
}

test('credentialConditions: shows the certificate that was issued last, in any order', () => {
  const message = (...reports: CredentialReport[]) =>
    credentialConditions(reports.map(certificate), account, undefined)[0]?.message
  assert.equal(message(valid(1), valid(5)), message(valid(5), valid(1)))
  assert.match(message(valid(1), valid(5)) ?? '', /from 2026-03-05/)
})
