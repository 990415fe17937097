import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestWork } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { configMap, inDefault } from '../agent/work-pair.js'
import { TlsHub, TlsSpoke } from './tls-fleet.js'

const MINUTE = 60_000
const NAMES = Array.from({ length: 20 }, (_, index) => `w${index}`)

test('hub down: applied objects stay and are corrected, and catching up does not overload the hub', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1')
  await Promise.all(NAMES.map((name) => hub.giveWork('c1', name, [configMap(name, { value: '1' })])))
  for (const name of NAMES) await hub.whenApplied('c1', name)
  const before = await Promise.all(NAMES.map((name) => spoke.uidOf(name)))

  await hub.stop()
  spoke.asked.length = 0
  await hub.wait(10 * MINUTE)
  const perMinute = spoke.asked.length / 10
  assert.ok(perMinute < 30, `${perMinute} attempts a minute`)
  await spoke.client.patch(ConfigMap, inDefault('w0'), { data: { value: '9' } })
  await hub.eventually('drift is corrected without the hub', async () => (await spoke.valueOf('w0')) === '1')
  assert.deepEqual(await Promise.all(NAMES.map((name) => spoke.uidOf(name))), before)

  await hub.resume()
  // Changes on the hub before the agent is back.
  await hub.client.patch(
    ManifestWork,
    { namespace: 'c1', name: 'w1' },
    {
      spec: { workload: { manifests: [configMap('w1', { value: '2' })] } },
    },
  )
  await hub.giveWork('c1', 'new', [configMap('new', { value: '1' })])
  spoke.asked.length = 0
  await hub.eventually('the agent has caught up', async () => {
    return (await spoke.valueOf('w1')) === '2' && (await spoke.valueOf('new')) === '1'
  })
  await hub.whenApplied('c1', 'w1')
  await hub.whenApplied('c1', 'new')
  await hub.wait(2 * MINUTE)
  await hub.whenAvailable('c1')
  const writes = spoke.asked.filter(({ method, path }) => method !== 'GET' && path.includes('/manifestworks/'))
  assert.ok(writes.length <= 6, `only the two works are told about: ${JSON.stringify(writes)}`)
  assert.ok(spoke.asked.length < 60, `${spoke.asked.length} requests to catch up`)
  assert.deepEqual(await Promise.all(NAMES.map((name) => spoke.uidOf(name))), before)
})
