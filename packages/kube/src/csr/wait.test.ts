import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { expired, forbidden, type StatusError, serviceUnavailable } from '@orrery/kinds/values'
import { KubeClient } from '../client/client.js'
import type { HttpResponse } from '../client/transport.js'
import { FakeClock } from '../testing/fake-clock.js'
import { certificateOf, waitForCertificate } from './wait.js'

const pending: CertificateSigningRequest = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'csr', uid: 'u', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { request: '', signerName: 'example.com/s' },
}
const issued: CertificateSigningRequest = {
  ...pending,
  status: { certificate: Buffer.from('the certificate').toString('base64') },
}
const never = new AbortController().signal

function answered(object: object, status = 200): HttpResponse {
  const bytes = Buffer.from(`${JSON.stringify(object)}\n`)
  const body = (async function* () {
    yield bytes
  })()
  return { status, headers: {}, body, bytes: () => Promise.resolve(bytes) }
}

/** A server that gives one response after another, and a client that waits. */
function waiting(clock: FakeClock, answers: (StatusError | Error | object)[]) {
  const asked: string[] = []
  const client = new KubeClient({
    async request({ path }) {
      asked.push(path.includes('watch=true') ? 'watch' : 'get')
      const answer = answers.shift() ?? new Error('connection refused')
      if (!(answer instanceof Error)) return answered(answer)
      if (!('status' in answer)) throw answer
      return answered((answer as StatusError).status, (answer as StatusError).code)
    },
  })
  return { asked, certificate: waitForCertificate(client, pending, { signal: never, clock }) }
}

async function pass(clock: FakeClock, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    await turn()
    clock.advance(60_000)
  }
}

test('waitForCertificate: survives outages and lost watches', async () => {
  const clock = new FakeClock()
  const modified = (object: object) => ({ type: 'MODIFIED', object })
  const gone = { type: 'ERROR', object: expired('too old').status }
  const { asked, certificate } = waiting(clock, [
    new Error('connection refused'),
    serviceUnavailable('not yet'),
    pending,
    new Error('connection reset'),
    pending,
    gone,
    pending,
    modified(pending),
    pending,
    modified(issued),
  ])
  await pass(clock, 8)
  assert.equal(await certificate, 'the certificate')
  assert.deepEqual(asked, ['get', 'get', 'get', 'watch', 'get', 'watch', 'get', 'watch', 'get', 'watch'])
})

test('waitForCertificate: rejects if reading is forbidden', async () => {
  const { certificate } = waiting(new FakeClock(), [forbidden({ group: '', resource: 'x' }, 'csr', 'no')])
  await assert.rejects(certificate, /is forbidden: no/)
})

test('certificateOf: throws if the request was denied or failed, and returns undefined while it is pending', () => {
  assert.equal(certificateOf(pending), undefined)
  assert.equal(certificateOf(issued), 'the certificate')
  const decided = (type: 'Approved' | 'Denied' | 'Failed', status: 'True' | 'False' = 'True') =>
    certificateOf({ ...pending, status: { conditions: [{ type, status, reason: 'Why' }] } })
  assert.equal(decided('Approved'), undefined)
  assert.equal(decided('Denied', 'False'), undefined)
  assert.throws(() => decided('Denied'), /certificatesigningrequests\.certificates\.k8s\.io "csr" was denied: Why$/)
  assert.throws(() => decided('Failed'), /"csr" failed: Why$/)
})
