import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  addOnConverters,
  ManagedCluster,
  Placement,
  PlacementCondition,
  UNAVAILABLE_TAINT,
  UNREACHABLE_TAINT,
} from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { installHub, startHub } from '@orrery/hub'
import { findCondition } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { clusteradmWith } from './clusteradm.js'

test('clusteradm: creates placements on a hub of Orrery and shows their decisions', async (t) => {
  const server = await startApiServer({ converters: addOnConverters })
  afterwards(t, () => server.close())
  const client = server.client()
  await installHub(client)
  const hub = await startHub({ client })
  afterwards(t, () => hub.close())
  const kubeconfig = join(await temporaryDirectory(t), 'kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfig('hub'))
  const clusteradm = clusteradmWith(kubeconfig)
  for (const name of ['c1', 'c2', 'c3']) {
    const labels = { region: name === 'c3' ? 'us' : 'eu', 'cluster.open-cluster-management.io/clusterset': 'shop' }
    await client.create(ManagedCluster, { metadata: { name, labels }, spec: { hubAcceptsClient: true } })
  }
  assert.match(await clusteradm('create', 'clusterset', 'shop'), /shop is created/)
  assert.match(await clusteradm('clusterset', 'bind', 'shop', '--namespace', 'default'), /shop is bound/)
  const options = ['--clustersets', 'shop', '--label-selectors', 'region=eu', '--count', '2']
  const created = await clusteradm('create', 'placement', 'web', ...options, '--prioritizers', 'BuiltIn:Steady:3')
  assert.match(created, /Placement 'web' has been created in 'default' namespace/)
  // The clusters of the test have no agents.
  const tolerations = [UNAVAILABLE_TAINT, UNREACHABLE_TAINT].map((key) => ({ key, operator: 'Exists' }))
  const web = { namespace: 'default', name: 'web' }
  await client.patch(Placement, web, { spec: { tolerations } })
  await eventually('the placement is satisfied', async () => {
    const { status } = await client.get(Placement, web)
    return findCondition(status?.conditions, PlacementCondition.Satisfied)?.status === 'True'
  })
  assert.match(await clusteradm('get', 'placements'), /<NumberOfSelectedClusters> 2/)
  const table = await clusteradm('get', 'placements', 'web', '-o', 'table')
  // It shows the first condition, PlacementMisconfigured, as on a hub of Open Cluster Management.
  assert.match(table, /^web +False +Succeedconfigured +\[c1 c2\]$/m)
  await assert.rejects(clusteradm('create', 'placement', 'web'), /placement web already exists/)
  assert.match(await clusteradm('create', 'placement', 'web', '--count', '1', '--overwrite'), /has been updated/)
})
