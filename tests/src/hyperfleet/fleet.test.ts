// Runs in a process of its own: it starts a fleet.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fleetDirectory as filesOf } from '@orrery/fleet'
import { CustomResourceDefinition, Namespace } from '@orrery/kinds'
import { clientFrom, isConditionTrue } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { adapterToken, maestroFleetDirectory, maestroOf } from '../support/maestro-fleet.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { reportedConditions, runExample, startExample } from './example.js'

test('hyperfleet-adapter: under up --maestro, creates a HostedCluster, waits for it, reads feedback and writes results', async (t) => {
  const root = await maestroFleetDirectory(t)
  assert.equal((await orrery('up', '--clusters', '1', '--maestro', '--data', root, '--detach')).code, 0)
  const path = filesOf(root).kubeconfig
  const hub = await clientFrom(kubeconfigSource({ path, context: 'hub' }))
  const cluster = await clientFrom(kubeconfigSource({ path, context: 'cluster1' }))
  afterwards(t, () => {
    for (const client of [hub, cluster]) client.close()
  })
  await cluster.create(Namespace, { metadata: { name: 'clusters' } })
  const operator = startExample('run-operator.js', ['--kubeconfig', path, '--context', 'cluster1'])
  afterwards(t, async () => {
    if (operator.kill()) await once(operator, 'close')
  })
  await eventually('the cluster serves HostedClusters', async () => {
    const crd = await cluster.find(CustomResourceDefinition, { name: 'hostedclusters.hypershift.openshift.io' })
    return isConditionTrue(crd?.status?.conditions, 'Established')
  })
  const results = await temporaryDirectory(t)
  const tokenFile = join(results, 'token')
  await writeFile(tokenFile, await adapterToken(hub))
  const { apiUrl, grpcUrl, caFile } = await maestroOf(root)
  const environment = {
    MAESTRO_API_URL: apiUrl,
    MAESTRO_GRPC_URL: grpcUrl,
    MAESTRO_CA_FILE: caFile,
    MAESTRO_TOKEN_FILE: tokenFile,
    MANAGEMENT_CLUSTER_CONSUMER: 'cluster1',
    RESULTS_DIR: results,
  }

  const created = await runExample([], environment)
  assert.deepEqual(created, {
    status: 0,
    output: 'Applied=True ManifestWorkCreated\nAvailable=False Provisioning\nHealth=True NoIssues\n',
  })

  const available = await runExample([], { ...environment, WAIT_SECONDS: '60' })
  assert.deepEqual(available, {
    status: 0,
    output: 'Applied=True ManifestWorkExists\nAvailable=True ControlPlaneReady\nHealth=True NoIssues\n',
  })
  assert.deepEqual(await reportedConditions(results), [
    'Applied=True ManifestWorkExists',
    'Available=True ControlPlaneReady',
    'Health=True NoIssues',
  ])
  const read = async (file: string) => JSON.parse(await readFile(join(results, file), 'utf8'))
  const endpoint = 'api.my-cluster.clusters.example.com'
  assert.deepEqual((await read('adapter-report.json')).data, { control_plane_endpoint: endpoint })
  const { status, reason, details } = await read('adapter-result.json')
  assert.deepEqual({ status, reason }, { status: 'success', reason: 'ControlPlaneReady' })
  assert.deepEqual(details.data, { control_plane_endpoint: endpoint })
})
