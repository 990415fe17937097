import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { createCsr, DistinguishedName, generateKey } from '@orrery/kube/pki'
import type { AddonContext, RegistrationRequest } from '../agent-addon.js'
import { type Approver, subjectApprover } from './approvers.js'

const content = Buffer.from(createCsr({ ...generateKey(), subject: DistinguishedName.of('user', ['group']) })).toString(
  'base64',
)

/** A request, with the number of times that its content was read. */
function countedRequest(): { readonly request: CertificateSigningRequest; reads(): number } {
  let reads = 0
  const spec = {
    username: 'system:open-cluster-management:c1:agent1',
    usages: ['client auth'],
    get request() {
      reads += 1
      return content
    },
  }
  return { request: { metadata: { name: 'addon-c1-hello-x' }, spec } as never, reads: () => reads }
}

/** Checks a request several times, and returns the answers and the logged refusals. */
function check(approver: Approver, request: CertificateSigningRequest, times: number) {
  const warnings: unknown[] = []
  const log = { warn: (_: string, fields: { readonly why: string }) => warnings.push(fields.why) }
  const asked = {
    request,
    cluster: { metadata: { name: 'c1' } },
    addon: { metadata: { namespace: 'c1', name: 'hello' } },
  } as unknown as RegistrationRequest
  const answers = Array.from({ length: times }, () => approver(asked, { log } as unknown as AddonContext))
  return { answers, warnings }
}

suite('subjectApprover', () => {
  test('reads and logs a refused request once', () => {
    const { request, reads } = countedRequest()
    const approver = subjectApprover(() => ({ user: 'other', groups: ['group'] }))
    const { answers, warnings } = check(approver, request, 3)
    assert.deepEqual(answers, [false, false, false])
    assert.deepEqual(warnings, ['its common name is not "other"'])
    assert.equal(reads(), 1)
  })

  test('decides again for another subject', () => {
    const { request } = countedRequest()
    let user = 'other'
    const approver = subjectApprover(() => ({ user, groups: ['group'] }))
    assert.deepEqual(check(approver, request, 1).answers, [false])
    user = 'user'
    assert.deepEqual(check(approver, request, 2).answers, [true, true])
  })
})
