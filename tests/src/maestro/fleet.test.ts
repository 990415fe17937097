import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fleetDirectory as filesOf } from '@orrery/fleet'
import { ConfigMap } from '@orrery/kinds'
import { isForbidden, isNotFound } from '@orrery/kinds/values'
import { clientFrom } from '@orrery/kube'
import { requestToken } from '@orrery/kube/credentials'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { feedback, type MaestroClientOptions, maestroWorkClient } from '@orrery/maestro'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory } from '../support/fleet.js'
import { adapterToken, maestroOf } from '../support/maestro-fleet.js'
import { afterwards } from '../support/server.js'

const SOURCE = 'adapter'
const work = (value: string) => ({
  metadata: { name: 'settings', namespace: 'cluster1' },
  spec: {
    workload: {
      manifests: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: { value } },
      ],
    },
    manifestConfigs: [
      {
        resourceIdentifier: { group: '', resource: 'configmaps', namespace: 'default', name: 'settings' },
        feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'data', path: '.data' }] }],
      },
    ],
  },
})

async function connection(root: string): Promise<Omit<MaestroClientOptions, 'token'>> {
  const { apiUrl, grpcUrl, caFile } = await maestroOf(root)
  return { apiUrl, grpcUrl, ca: { file: caFile }, sourceId: SOURCE }
}

test('up --maestro: a work of a source is applied, reported, changed and deleted, also after a restart', async (t) => {
  const root = await fleetDirectory(t)
  assert.equal((await orrery('up', '--clusters', '1', '--maestro', '--data', root, '--detach')).code, 0)
  const files = filesOf(root)
  const path = files.kubeconfig
  const hub = await clientFrom(kubeconfigSource({ path, context: 'hub' }))
  const cluster = await clientFrom(kubeconfigSource({ path, context: 'cluster1' }))
  afterwards(t, () => {
    for (const client of [hub, cluster]) client.close()
  })
  const options = await connection(root)
  const client = maestroWorkClient({ ...options, token: await adapterToken(hub) })
  afterwards(t, () => client.close())
  const works = client.manifestWorks('cluster1')
  const reported = async () => feedback<{ value: string }>(await works.get('settings'), 'data')?.value

  await eventually('the cluster has a consumer', async () => (await client.consumers.list()).length === 1)
  await works.create(work('one'))
  await eventually('the value is reported', async () => (await reported()) === 'one')
  const configMap = { namespace: 'default', name: 'settings' }
  assert.equal((await cluster.get(ConfigMap, configMap)).data?.value, 'one')

  const consumers = await orrery('maestro', 'get', 'consumers', '--data', root, '-o', 'json')
  assert.equal(consumers.code, 0, consumers.errors)
  assert.deepEqual(
    JSON.parse(consumers.out).items.map(({ name }: { name: string }) => name),
    ['cluster1'],
  )
  const shown = await orrery('maestro', 'get', 'works', '--data', root, '--source', SOURCE)
  assert.match(shown.out, /settings/)

  await assert.rejects(client.consumers.create({ name: 'other' }), isForbidden)
  // Kubernetes lets every user read what is below /api: not the works, which can have Secrets.
  const token = await requestToken(hub, { namespace: 'default', name: 'default' })
  const anybody = maestroWorkClient({ ...options, token })
  afterwards(t, () => anybody.close())
  await assert.rejects(anybody.manifestWorks('cluster1').get('settings'), isForbidden)
  await assert.rejects(anybody.consumers.list(), isForbidden)

  const file = (name: string) => ({ file: join(files.data('cluster1'), 'hub-kubeconfig', name) })
  const agent = maestroWorkClient({ ...options, certificates: { certificate: file('tls.crt'), key: file('tls.key') } })
  afterwards(t, () => agent.close())
  await assert.rejects(agent.manifestWorks('cluster1').get('settings'), isForbidden)

  await orrery('down', '--data', root)
  assert.equal((await orrery('up', '--data', root, '--detach')).code, 0)
  await works.patch('settings', { spec: { workload: work('three').spec.workload } })
  await eventually('the change is reported', async () => (await reported()) === 'three')
  await works.delete('settings')
  await eventually('the work is gone', async () => (await works.get('settings').catch(isNotFound)) === true)
  assert.equal(await cluster.find(ConfigMap, configMap), undefined)
})
