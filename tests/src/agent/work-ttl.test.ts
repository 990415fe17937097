import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestWork } from '@orrery/api'
import { ConfigMap, Pod } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { HubServer } from '../hub/hub-server.js'
import { FEATURES, withClusters } from '../hub/works.js'
import { afterwards } from '../support/server.js'
import { Spoke } from './spoke.js'
import { configMap, HUB_SERVER, inDefault, startKubeWork } from './work-pair.js'

const HOUR = 3_600_000
const once = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: inDefault('once'),
  spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] },
}

test('ttlSecondsAfterFinished: deletes a complete work after its time, with its objects', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  const spoke = await Spoke.start(t, hub.clock)
  const agent = await startKubeWork({
    hub: hub.asAgent('c1'),
    hubServer: HUB_SERVER,
    clusterName: 'c1',
    spoke: spoke.client,
    clock: hub.clock,
  })
  afterwards(t, () => agent.close())
  const ref = { namespace: 'c1', name: 'w' }
  await hub.client.create(ManifestWork, {
    metadata: ref,
    spec: {
      workload: { manifests: [once, configMap('input', { x: '1' })] as never },
      deleteOption: { ttlSecondsAfterFinished: 3_600 },
      manifestConfigs: [
        {
          resourceIdentifier: { resource: 'pods', namespace: 'default', name: 'once' },
          conditionRules: [{ condition: 'Complete', type: 'WellKnownConditions' }],
        },
      ],
    },
  })
  const work = () => hub.client.find(ManifestWork, ref)
  await eventually('the pod is there', async () => (await spoke.client.find(Pod, inDefault('once'))) !== undefined)
  await spoke.client.patch(Pod, inDefault('once'), { status: { phase: 'Succeeded' } }, { subresource: 'status' })
  await eventually('the work is complete', async () => isConditionTrue((await work())?.status?.conditions, 'Complete'))
  await hub.settle()
  hub.clock.advance(HOUR - 10_000)
  await hub.settle()
  assert.equal((await work())?.metadata.deletionTimestamp, undefined)
  await eventually('the work is gone', async () => {
    hub.clock.advance(5_000)
    return (await work()) === undefined
  })
  assert.equal(await spoke.client.find(ConfigMap, inDefault('input')), undefined)
})
