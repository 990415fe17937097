import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestWork } from '@orrery/api'
import { ConnectionError } from '@orrery/kube/transport'
import { configMap } from '../agent/work-pair.js'
import { unavailable } from '../support/unavailable.js'
import { TlsHub, TlsSpoke } from './tls-fleet.js'

const MINUTE = 60_000

test('flapping API: the cluster and everything on it stay', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1')
  const names = ['a', 'b', 'c', 'd']
  for (const name of names) await hub.giveWork('c1', name, [configMap(name, { value: '1' })])
  for (const name of names) await hub.whenApplied('c1', name)
  const uids = () => Promise.all(names.map((name) => spoke.uidOf(name)))
  const before = await uids()
  const gone = () => Promise.reject(new ConnectionError('connection reset', { code: 'ECONNRESET', sent: true }))
  for (let round = 0; round < 6; round++) {
    spoke.fault = round % 2 === 0 ? unavailable : gone
    await hub.client.patch(
      ManifestWork,
      { namespace: 'c1', name: 'a' },
      {
        spec: { workload: { manifests: [configMap('a', { value: `${round}` })] } },
      },
    )
    await hub.wait(2 * MINUTE, 1_000)
    spoke.fault = undefined
    await hub.wait(MINUTE / 2, 1_000)
    assert.deepEqual(await uids(), before)
  }
  await hub.eventually('the last change is applied', async () => (await spoke.valueOf('a')) === '5', 1_000)
  await hub.whenApplied('c1', 'a')
  await hub.whenAvailable('c1')
  for (const name of names) assert.equal((await spoke.recordOf(name))?.status?.appliedResources?.length, 1)
})
