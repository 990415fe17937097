import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENT_SUBJECT_PREFIX, ManifestWork } from '@orrery/api'
import { ClusterRoleBinding, ConfigMap } from '@orrery/kinds'
import { configMap, inDefault } from '../agent/work-pair.js'
import { approveAll, TlsHub, TlsSpoke } from './tls-fleet.js'

const MINUTE = 60_000
const work = { namespace: 'c1', name: 'w' }

test('one name: a second agent gets no works while the first is active', async (t) => {
  const hub = await TlsHub.start(t)
  const [spoke, other] = await Promise.all([TlsSpoke.start(t, hub.clock), TlsSpoke.start(t, hub.clock)])
  const first = await spoke.join(hub, 'c1')
  await hub.giveWork('c1', 'w', [configMap('w', { value: '1' })])
  await hub.whenApplied('c1', 'w')
  const before = await spoke.uidOf('w')
  const second = await other.startAgent(hub, 'c1')
  await hub.eventually('the agent reports the active one', () =>
    /with an active agent/.test(second.state.problem ?? ''),
  )
  await hub.wait(10 * MINUTE, 10_000)
  assert.equal(second.state.phase, 'bootstrapping')
  assert.equal(await other.uidOf('w'), undefined)
  assert.ok(!other.asked.some(({ path }) => path.includes('/manifestworks')))
  assert.equal(await spoke.uidOf('w'), before)
  await hub.whenAvailable('c1')

  await first.close()
  await hub.eventually('it takes over', async () => (await other.uidOf('w')) !== undefined, 2_000)
  assert.equal(await spoke.uidOf('w'), before, 'what the first has applied is not taken from it')
})

test("one name: two agents with certificates do not overwrite each other's reports in a loop", async (t) => {
  const hub = await TlsHub.start(t)
  const [spoke, other] = await Promise.all([TlsSpoke.start(t, hub.clock), TlsSpoke.start(t, hub.clock)])
  const settings = (value: string) => ({ metadata: inDefault('settings'), data: { value } })
  await Promise.all([spoke.client.create(ConfigMap, settings('1')), other.client.create(ConfigMap, settings('2'))])
  const first = await spoke.join(hub, 'c1')
  const resourceIdentifier = { group: '', resource: 'configmaps', ...inDefault('settings') }
  const feedbackRules = [{ type: 'JSONPaths', jsonPaths: [{ name: 'value', path: '.data.value' }] }]
  await hub.client.create(ManifestWork, {
    metadata: work,
    spec: {
      workload: { manifests: [configMap('settings', {})] },
      manifestConfigs: [{ resourceIdentifier, updateStrategy: { type: 'ReadOnly' }, feedbackRules }],
    },
  } as never)
  await hub.whenApplied('c1', 'w')
  const second = await other.startAgent(hub, 'c1', { takeOver: true })
  await hub.eventually('it is approved', async () => (await approveAll(hub)) > 0)
  await hub.eventually('it has joined', () => second.state.phase === 'joined')
  // The hub gives the name to the last agent. An administrator can bind both.
  const subjects = [first, second].map(({ agentName }) => ({
    kind: 'User',
    apiGroup: ClusterRoleBinding.group,
    name: `${AGENT_SUBJECT_PREFIX}c1:${agentName}`,
  }))
  await hub.client.patch(ClusterRoleBinding, { name: 'open-cluster-management:managedcluster:c1' }, { subjects })
  await hub.wait(MINUTE, 1_000)
  const requests = () => spoke.asked.length + other.asked.length
  const before = requests()
  await hub.wait(10 * MINUTE, 1_000)
  const perMinute = (requests() - before) / 10
  assert.ok(perMinute < 60, `${perMinute} requests a minute`)
  await spoke.client.patch(ConfigMap, inDefault('settings'), { data: { value: 'news' } })
  await hub.eventually(
    'a new value is written at once',
    () => hub.client.get(ManifestWork, work).then(tells('news')),
    10,
  )
})

function tells(value: string): (work: ManifestWork) => boolean {
  return ({ status }) => JSON.stringify(status?.resourceStatus).includes(JSON.stringify(value))
}
