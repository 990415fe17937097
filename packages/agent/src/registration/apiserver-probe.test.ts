import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { KubeClient } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { ApiServerProbe } from './apiserver-probe.js'

/** A server that answers with these statuses. */
function serverWith(statuses: Record<string, number>) {
  const asked: string[] = []
  const client = new KubeClient({
    async request({ path }) {
      asked.push(path)
      const status = statuses[path] ?? 200
      if (status === 0) throw new Error('no route')
      const bytes = Buffer.from(path === '/version' ? '{"gitVersion":"v1.34.1"}' : `status ${status}`)
      return { status, headers: {}, body: Readable.from([]), bytes: async () => bytes }
    },
  })
  return { client, asked, statuses }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5))

async function advance(clock: FakeClock, milliseconds: number): Promise<void> {
  clock.advance(milliseconds)
  await settled()
}

test('ApiServerProbe: probes a healthy server once each period', async (t) => {
  const { client, asked } = serverWith({})
  const clock = new FakeClock()
  let changes = 0
  const probe = new ApiServerProbe(client, { clock, period: 60_000, onChange: () => changes++ })
  t.after(() => probe.close())
  await settled()
  assert.deepEqual(probe.finding, { state: 'available', version: 'v1.34.1' })
  await advance(clock, 59_000)
  assert.deepEqual(asked, ['/livez', '/version'])
  await advance(clock, 1_000)
  assert.equal(asked.length, 4)
  assert.equal(changes, 1)
})

test('ApiServerProbe: falls back to /healthz where /livez is unknown or forbidden', async (t) => {
  for (const status of [403, 404]) {
    const { client, asked } = serverWith({ '/livez': status })
    const probe = new ApiServerProbe(client, { clock: new FakeClock(), period: 60_000, onChange: () => undefined })
    t.after(() => probe.close())
    await settled()
    assert.equal(probe.finding.state, 'available')
    assert.deepEqual(asked, ['/livez', '/healthz', '/version'])
  }
})

test('ApiServerProbe: reports a failure after 20 seconds, and recovery at once', async (t) => {
  const { client, statuses } = serverWith({ '/livez': 500 })
  const clock = new FakeClock()
  const probe = new ApiServerProbe(client, { clock, period: 60_000, onChange: () => undefined })
  t.after(() => probe.close())
  await settled()
  for (let seconds = 0; seconds < 20; seconds += 5) {
    assert.equal(probe.finding.state, 'unclear')
    await advance(clock, 5_000)
  }
  const message = 'The kube-apiserver is not ok, status code: 500, status 500'
  assert.deepEqual(probe.finding, { state: 'unavailable', message })
  statuses['/livez'] = 0
  await advance(clock, 60_000)
  assert.deepEqual(probe.finding, {
    state: 'unavailable',
    message: 'The kube-apiserver is not ok, status code: 0, no route',
  })
  statuses['/livez'] = 200
  await advance(clock, 60_000)
  assert.equal(probe.finding.state, 'available')
})
