import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
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
import { orrery, orreryIn } from '../support/cli-here.js'
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

/** `orrery maestro` with a fleet that has a work of the source. */
async function checkCommands(root: string): Promise<void> {
  const maestro = (...args: string[]) => {
    // As in a shell in which an adapter was tried: --data takes precedence.
    const variables = { MAESTRO_API_URL: 'http://127.0.0.1:1', MAESTRO_TOKEN_FILE: 'none', MAESTRO_CA_FILE: 'none' }
    return orreryIn(variables, 'maestro', ...args, '--data', root)
  }
  assert.match((await maestro('get', 'works', '--source', SOURCE)).out, /settings/)
  const own = await maestro('get', 'works')
  assert.match(
    own.errors,
    /^No works of source orrery found on https:.* Other sources have 1: show them with --all-sources/,
  )
  assert.match((await maestro('get', 'works', '--all-sources')).out, /^SOURCE +CONSUMER.*\nadapter +cluster1 +settings/)

  const file = join(root, 'missing-namespace.yaml')
  await writeFile(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: missing }\n')
  const applied = await maestro('apply', 'works', '-f', file, '--name', 'broken', '--consumer', 'cluster1')
  assert.deepEqual([applied.out, applied.errors], ['work cluster1/broken created\n', ''])
  const problem = /\nProblems:\n +cluster1\/broken: .*namespaces "missing" not found/
  await eventually('the problem is shown', async () => problem.test((await maestro('get', 'works')).out))
  assert.equal((await maestro('delete', 'works', 'broken', '--consumer', 'cluster1', '--wait')).code, 0)

  const metadata = '{ name: held, namespace: default, finalizers: [example.com/hold] }'
  await writeFile(file, `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\n`)
  await maestro('apply', 'works', '-f', file, '--name', 'held', '--consumer', 'cluster1')
  await eventually('the work is applied', async () => /held +True/.test((await maestro('get', 'works')).out))
  const waited = await maestro('delete', 'works', 'held', '--consumer', 'cluster1', '--wait', '3')
  assert.match(waited.errors, /still exists after 3 s: .*waiting for configmaps default\/held \(finalizers example.com/)
}

test('up --maestro: a work of a source is applied, reported, changed and deleted, also after a restart', async (t) => {
  const root = await fleetDirectory(t)
  const up = await orrery('up', '--clusters', '1', '--maestro', '--data', root, '--detach')
  assert.equal(up.code, 0, up.errors)
  assert.match(up.errors, /^hub +[\d.]+ s +installing: starting the Maestro server$/m)
  assert.match((await orrery('status', '--data', root)).out, /^maestro +ready +0 +\d+ +<none> +https:/m)
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
  await checkCommands(root)

  const hint = /consumers of this server are the clusters that the hub accepts: join or detach a cluster instead/
  const refusesConsumers = (error: Error) => isForbidden(error) && hint.test(error.message)
  await assert.rejects(client.consumers.create({ name: 'other' }), refusesConsumers)
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
