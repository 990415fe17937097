import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AddOnRegistration } from '@orrery/api'
import { withDriver } from './driver.js'

const kubeClient = (config?: AddOnRegistration['kubeClient']): AddOnRegistration => ({
  type: 'kubeClient',
  ...(config !== undefined && { kubeClient: config }),
})
const customSigner: AddOnRegistration = { type: 'customSigner', customSigner: { signerName: 'example.com/signer' } }
const tokenSubject = { user: 'system:serviceaccount:c1:hello-agent' }
const subject = { user: 'u', groups: ['g'] }

const cases: readonly [string, 'csr' | 'token', AddOnRegistration, AddOnRegistration][] = [
  ['adds csr', 'csr', kubeClient(), kubeClient({ driver: 'csr' })],
  ['keeps the subject with csr', 'csr', kubeClient({ subject }), kubeClient({ subject, driver: 'csr' })],
  [
    'drops the user of a token with csr',
    'csr',
    kubeClient({ subject: tokenSubject, driver: 'token' }),
    kubeClient({ driver: 'csr' }),
  ],
  [
    'sets the user and no groups with token',
    'token',
    kubeClient({ subject, driver: 'csr' }),
    kubeClient({ subject: tokenSubject, driver: 'token' }),
  ],
]
for (const [what, driver, before, after] of cases) {
  test(`withDriver: ${what}`, () => {
    assert.deepEqual(withDriver({ registrations: [customSigner, before] }, driver, 'c1', 'hello'), {
      registrations: [customSigner, after],
    })
  })
}

test('withDriver: returns the same status if nothing changes', () => {
  const statuses = [{}, { registrations: [customSigner] }, { registrations: [kubeClient({ subject, driver: 'csr' })] }]
  for (const status of statuses) assert.equal(withDriver(status, 'csr', 'c1', 'hello'), status)
  const declared = { registrations: [kubeClient({ subject: tokenSubject, driver: 'token' })] }
  assert.equal(withDriver(declared, 'token', 'c1', 'hello'), declared)
})
