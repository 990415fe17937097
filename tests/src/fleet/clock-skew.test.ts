import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_NAME_LABEL, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import { configMap } from '../agent/work-pair.js'
import { says } from '../hub/clusters.js'
import { TlsHub, TlsSpoke } from './tls-fleet.js'

const MINUTE = 60_000

function skewed(clock: Clock, milliseconds: number): Clock {
  return {
    now: () => new Date(clock.now().getTime() + milliseconds),
    elapsed: () => clock.elapsed(),
    after: (delay, callback) => clock.after(delay, callback),
  }
}

for (const minutes of [-30, 30]) {
  test(`clock skew: a cluster whose clock is off by ${minutes} minutes reports it, and its works are applied`, async (t) => {
    const hub = await TlsHub.start(t)
    const clock = skewed(hub.clock, minutes * MINUTE)
    const spoke = await TlsSpoke.start(t, clock)
    await spoke.startAgent(hub, 'c1', { clock })
    await hub.eventually('the hub reports it', async () => {
      const cluster = await hub.client.find(ManagedCluster, { name: 'c1' })
      return cluster !== undefined && says(ManagedClusterCondition.ClockSynced, 'False')(cluster)
    })
    await hub.giveWork('c1', 'w', [configMap('w', { value: '1' })])
    await hub.whenApplied('c1', 'w')
    const uid = await spoke.uidOf('w')
    await hub.wait(3 * 60 * MINUTE, 2 * MINUTE)
    assert.equal(await spoke.uidOf('w'), uid)
    assert.equal((await spoke.recordOf('w'))?.status?.evictionStartTime, undefined)
  })
}

test('clock skew: a cluster whose clock is beyond every certificate does not request them endlessly', async (t) => {
  const hub = await TlsHub.start(t)
  const clock = skewed(hub.clock, 120 * MINUTE)
  const spoke = await TlsSpoke.start(t, clock)
  const agent = await spoke.startAgent(hub, 'c1', { clock, certificateSeconds: 3_600 })
  await hub.eventually(
    'it says why',
    () => /is 1\d\dm ahead of the hub's: set it/.test(agent.state.problem ?? ''),
    1_000,
  )
  await hub.wait(10 * MINUTE, 1_000)
  const { items } = await hub.client.list(CertificateSigningRequest, { labelSelector: `${CLUSTER_NAME_LABEL}=c1` })
  assert.ok(items.length === 1, `${items.length} requests`)
  const perMinute = spoke.asked.length / 10
  assert.ok(perMinute < 60, `${perMinute} requests a minute`)
})
