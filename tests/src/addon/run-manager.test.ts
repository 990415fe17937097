import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RunningAddonManager, runAddonManager } from '@orrery/addon'
import { ManagedCluster, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { writeConditions } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { eventually } from '@orrery/kube/testing'
import { HubServer } from '../hub/hub-server.js'
import { configMap } from './addon-hub.js'

test('runAddonManager: runs the controllers of add-ons until it is stopped', async (t) => {
  const { client } = await HubServer.start(t, { controllers: () => [] })
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  let data = 'a'
  let running: RunningAddonManager | undefined
  const ended = runAddonManager({
    name: 'hello-controller',
    addons: [{ name: 'hello', manifests: () => [configMap('one', { data: { data } })] }],
    cluster: client,
    log: silentLogger,
    signal: stopping.signal,
    onStart: (started) => {
      running = started
    },
  })
  await eventually('the manager has started', () => running !== undefined)
  await client.create(Namespace, { metadata: { name: 'c1' } })
  await client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: {} })
  const addon = await client.create(ManagedClusterAddOn, { metadata: { namespace: 'c1', name: 'hello' }, spec: {} })
  const registered = { type: 'RegistrationApplied', status: 'True', reason: 'NilRegistration' } as const
  await writeConditions(client, ManagedClusterAddOn, addon, [registered])
  const isDeployed = async (value: string) => {
    const work = await client.find(ManifestWork, { namespace: 'c1', name: 'addon-hello-deploy-0' })
    return JSON.stringify(work?.spec?.workload?.manifests?.[0]?.data) === JSON.stringify({ data: value })
  }
  await eventually('the add-on is deployed', () => isDeployed('a'))
  data = 'b'
  running?.trigger('c1', 'hello')
  await eventually('the manifests are rendered again', () => isDeployed('b'))
  assert.deepEqual(running?.health.problems, [])
  stopping.abort()
  await ended
})
