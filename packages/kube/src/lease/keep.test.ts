import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { KubeClient } from '../client/client.js'
import { FakeClock } from '../testing/fake-clock.js'
import { keepLease } from './keep.js'

const ref = { namespace: 'edge', name: 'managed-cluster-lease' }
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { ...ref, uid: 'u', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: {},
}

/** A server that is down until `up` is set, and the times of the requests it got. */
function flakyServer(clock: FakeClock) {
  const state = { up: false, requests: [] as number[] }
  const client = new KubeClient({
    async request() {
      state.requests.push(clock.elapsed() / 1_000)
      if (!state.up) throw new Error('connection refused')
      const bytes = Buffer.from(JSON.stringify(lease))
      const body = (async function* () {
        yield bytes
      })()
      return { status: 200, headers: {}, body, bytes: () => Promise.resolve(bytes) }
    },
  })
  return { state, client }
}

test('keepLease: retries a failed renewal with backoff up to the period, and reports each renewal', async () => {
  const clock = new FakeClock()
  const { state, client } = flakyServer(clock)
  const renewals: string[] = []
  const kept = keepLease(client, ref, {
    periodMilliseconds: 5_000,
    clock,
    random: () => 0,
    onRenewed: ({ metadata }) => renewals.push(metadata.resourceVersion),
  })
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      for (let turns = 0; turns < 10; turns++) await turn()
      clock.advance(1_000)
    }
    for (let turns = 0; turns < 10; turns++) await turn()
  }
  await pass(13)
  const start = state.requests[0] as number
  assert.deepEqual(
    state.requests.map((time) => time - start),
    [0, 1, 3, 7, 12],
  )
  state.up = true
  await pass(4)
  assert.deepEqual(renewals, ['1'])
  assert.equal((await kept.stop())?.metadata.resourceVersion, '1')
})

test('keepLease: stop resolves with undefined when the last renewal failed', async () => {
  const clock = new FakeClock()
  const kept = keepLease(flakyServer(clock).client, ref, { periodMilliseconds: 5_000, clock })
  for (let turns = 0; turns < 10; turns++) await turn()
  assert.equal(await kept.stop(), undefined)
})
