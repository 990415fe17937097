import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  AddOnPlacementScore,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
  ManifestWork,
  type NewClusterManagementAddOn,
} from '@orrery/api'
import { installHub } from '@orrery/hub'
import { ConfigMap, Deployment, Namespace, Pod } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { requestCertificate } from '@orrery/kube/csr'
import { CommandHub } from './command-hub.js'

/** A hub without controllers and two clusters: the test writes what controllers and agents would. */
async function startCommands(t: TestContext, spec: NewClusterManagementAddOn['spec'] = {}) {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  for (const name of ['c1', 'c2']) {
    await client.create(Namespace, { metadata: { name } })
    await client.create(ManagedCluster, { metadata: { name }, spec: { hubAcceptsClient: true } })
  }
  await client.create(ClusterManagementAddOn, { metadata: { name: 'pods' }, spec })
  return { commands, client }
}

const at = '2030-01-01T00:00:00Z'
const condition = (type: string, status: 'True' | 'False', reason: string, message = '') => ({
  ...{ type, status, reason, message, lastTransitionTime: at },
})

test('orrery addon enable, disable, get addons: create and delete ManagedClusterAddOns', async (t) => {
  const { commands, client } = await startCommands(t)
  const enabled = await commands.run('addon', 'enable', 'pods', '--clusters', 'c1,c2', '--namespace', 'pods-agent')
  assert.equal(enabled.out, 'add-on pods enabled on cluster c1\nadd-on pods enabled on cluster c2\n')
  const { metadata } = await client.get(ManagedClusterAddOn, { namespace: 'c1', name: 'pods' })
  assert.equal(metadata.annotations?.['addon.open-cluster-management.io/v1alpha1-install-namespace'], 'pods-agent')
  const again = await commands.run('addon', 'enable', '--names', 'pods', '--clusters', 'c1')
  assert.equal(again.out, 'add-on pods is already enabled on cluster c1\n')
  const shown = await commands.run('get', 'addons')
  assert.match(shown.out, /^CLUSTER +ADD-ON +AVAILABLE .*\nc1 +pods .*\nc2 +pods /)
  assert.match(shown.errors, /^c1\/pods: no controller has registered it: is the controller of the add-on running/)
  const list = await commands.json<{ items: unknown[] }>('get', 'addons', 'pods', '--clusters', 'c2')
  assert.equal(list.items.length, 1)
  const disabled = await commands.run('addon', 'disable', 'pods', '--clusters', 'c1')
  assert.equal(disabled.out, 'add-on pods disabled on cluster c1\n')
  const gone = await commands.run('addon', 'disable', 'pods', '--clusters', 'c1')
  assert.equal(gone.out, 'add-on pods is not enabled on cluster c1\n')
})

test('orrery addon: rejects unknown add-ons and clusters, and what the hub would undo', async (t) => {
  const installStrategy = { type: 'Placements' as const, placements: [{ namespace: 'shop', name: 'all' }] }
  const { commands } = await startCommands(t, { installStrategy })
  for (const [args, message] of [
    [
      ['addon', 'enable', 'nodes', '--clusters', 'c1'],
      /^error: add-on nodes not found: it has no ClusterManagementAddOn/,
    ],
    [['addon', 'enable', 'pods', '--clusters', 'c1,c9'], /^error: cluster c9 not found: run `orrery get clusters`/],
    [['addon', 'enable', 'pods', '--clusters', 'c1', '-n', 'A'], /^error: A is not a valid namespace: /],
    [['addon', 'enable', '--clusters', 'c1'], /^error: the name of an add-on is required/],
    [
      ['addon', 'disable', 'pods', '--clusters', 'c1'],
      /^error: add-on pods is installed on the clusters of placement shop\/all: /,
    ],
    [
      ['addon', 'reports', 'pods'],
      /^error: add-on pods is not enabled on any cluster: run `orrery addon enable pods --clusters …`/,
    ],
    [['addon', 'reports', 'nodes'], /^error: add-on nodes not found/],
    [['get', 'addons', 'nodes'], /^error: add-on nodes not found/],
  ] as const) {
    const { code, errors } = await commands.run(...args)
    assert.notEqual(code, 0, args.join(' '))
    assert.match(errors, message)
  }
})

test('orrery addon status: shows all conditions, the first problem, and exits with 1 unless available', async (t) => {
  const { commands, client } = await startCommands(t)
  await commands.run('addon', 'enable', 'pods', '--clusters', 'c1')
  const report = async (status: ManagedClusterAddOnStatus) => {
    const addOn = await client.get(ManagedClusterAddOn, { namespace: 'c1', name: 'pods' })
    await client.update(ManagedClusterAddOn, { ...addOn, status }, { subresource: 'status' })
  }
  const registered = condition('RegistrationApplied', 'True', 'SetPermissionApplied')
  const failed = condition('ManifestApplied', 'False', 'ManifestWorkApplyFailed', 'failed to build manifestwork: no')
  await report({ conditions: [registered, failed] })
  const broken = await commands.run('addon', 'status', 'pods')
  assert.equal(broken.code, 1)
  assert.match(broken.out, /^c1 +RegistrationApplied +True +SetPermissionApplied /m)
  assert.equal(
    broken.errors,
    'c1/pods: ManifestApplied is False: ManifestWorkApplyFailed: failed to build manifestwork: no\n',
  )
  await report({ conditions: [failed, condition('Available', 'True', 'ProbeAvailable')] })
  const stale = await commands.run('addon', 'status', 'pods')
  assert.deepEqual([stale.code, stale.errors], [1, broken.errors], 'an earlier state is still available')
  await report({ conditions: [registered, condition('Available', 'True', 'ProbeAvailable')] })
  const fine = await commands.run('addon', 'status', 'pods')
  assert.deepEqual([fine.code, fine.errors], [0, ''])
})

test('orrery addon status: shows crashes of its controller and its agents, pending requests, and what agents report', async (t) => {
  const { commands, client } = await startCommands(t)
  await commands.run('addon', 'enable', 'pods', '--clusters', 'c1')
  const labels = { 'open-cluster-management.io/addon-name': 'pods' }
  const addOn = await client.get(ManagedClusterAddOn, { namespace: 'c1', name: 'pods' })
  const denied = 'the hub denies requests of the agent: configmaps is forbidden'
  const conditions = [
    condition('RegistrationApplied', 'True', 'SetPermissionApplied'),
    condition('Available', 'True', 'ProbeAvailable'),
    condition('Degraded', 'True', 'AgentReportedProblem', denied),
  ]
  await client.update(ManagedClusterAddOn, { ...addOn, status: { conditions } }, { subresource: 'status' })
  const problems = async () => {
    const { code, errors } = await commands.run('addon', 'status', 'pods')
    assert.equal(code, 1)
    return errors.trim().split('\n')
  }
  const degraded = `c1/pods: Degraded is True: AgentReportedProblem: ${denied}`
  assert.deepEqual(await problems(), [degraded])

  const crash = 'pod pods-agent-x: container agent is waiting: CrashLoopBackOff: exited with code 7 (Error), 3 restarts'
  const work = await client.create(ManifestWork, {
    metadata: { namespace: 'c1', name: 'addon-pods-deploy-0', labels },
    spec: {},
  })
  const resourceMeta = { ordinal: 0, group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments' }
  const manifest = {
    resourceMeta: { ...resourceMeta, namespace: 'pods', name: 'pods-agent' },
    conditions: [condition('Available', 'False', 'Failed', crash)],
  }
  const resourceStatus = { manifests: [manifest] }
  await client.update(ManifestWork, { ...work, status: { resourceStatus } }, { subresource: 'status' })
  const ofWork = `c1/pods: manifest 1 (Deployment pods/pods-agent) Failed: ${crash}: read the logs with `
  const logs = '`kubectl --context c1 -n pods logs pods-agent-x -c agent --previous`'
  assert.deepEqual(await problems(), [degraded, `${ofWork}${logs}`])

  await requestCertificate(client, {
    ...{ signerName: 'kubernetes.io/kube-apiserver-client', commonName: 'agent', organizations: [], hosts: [] },
    generateName: 'addon-c1-pods-',
    labels: { ...labels, 'open-cluster-management.io/cluster-name': 'c1' },
  })
  const [, , pending] = await problems()
  assert.match(
    pending ?? '',
    /^c1\/pods: the certificate request (addon-c1-pods-\S+) is pending: .*`kubectl certificate approve \1` on the hub$/,
  )

  await crashingController(client, labels)
  const [controller] = await problems()
  assert.equal(
    controller,
    'hub/pods: the controller of the add-on (Deployment default/pods-controller) does not run: pod pods-controller-x: container ' +
      'controller is waiting: CrashLoopBackOff: exited with code 1 (Error), 2 restarts: read the logs with `kubectl --context hub -n ' +
      'default logs pods-controller-x -c controller --previous`',
  )
})

/** A controller of an add-on whose pod crashes, as a kubelet reports it. */
async function crashingController(client: KubeClient, labels: Record<string, string>): Promise<void> {
  const app = { app: 'pods-controller' }
  const containers = [{ name: 'controller', image: 'example.com/pods:1' }]
  await client.create(Deployment, {
    metadata: { namespace: 'default', name: 'pods-controller', labels },
    spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: { containers } } },
  })
  const pod = await client.create(Pod, {
    metadata: { namespace: 'default', name: 'pods-controller-x', labels: app },
    spec: { containers },
  })
  const terminated = { exitCode: 1, reason: 'Error' }
  const crashed = {
    ...{ name: 'controller', image: 'example.com/pods:1', imageID: '', ready: false, restartCount: 2 },
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
    lastState: { terminated },
  }
  await client.update(
    Pod,
    { ...pod, status: { phase: 'Running', containerStatuses: [crashed] } },
    { subresource: 'status' },
  )
}

test('orrery addon reports: shows what an add-on reported in each of the five ways', async (t) => {
  const { commands, client } = await startCommands(t)
  await commands.run('addon', 'enable', 'pods', '--clusters', 'c1,c2')
  const labels = { 'open-cluster-management.io/addon-name': 'pods' }
  const metadata = (name: string) => ({ namespace: 'c1', name, labels })
  await client.create(ConfigMap, {
    metadata: { ...metadata('pod-report'), annotations: { 'addon.orrery.dev/observed-at': at } },
    data: { report: `{"pods":[${'"pod",'.repeat(99)}"pod"]}` },
  })
  const addOn = await client.get(ManagedClusterAddOn, { namespace: 'c1', name: 'pods' })
  const conditions = [
    condition('PodCountHealthy', 'True', 'PodCountWithinLimit', 'Cluster has 3 pods'),
    condition('Available', 'True', 'ProbeAvailable'),
  ]
  await client.update(ManagedClusterAddOn, { ...addOn, status: { conditions } }, { subresource: 'status' })
  const score = await client.create(AddOnPlacementScore, { metadata: metadata('pods-score') })
  const scores = [{ name: 'podCount', value: 97 }]
  await client.update(AddOnPlacementScore, { ...score, status: { scores } }, { subresource: 'status' })
  const cluster = await client.get(ManagedCluster, { name: 'c1' })
  const clusterClaims = [
    { name: 'pods.k8s-version', value: 'v1.36.0' },
    { name: 'other', value: 'x' },
  ]
  await client.update(
    ManagedCluster,
    { ...cluster, status: { ...cluster.status, clusterClaims } },
    { subresource: 'status' },
  )
  const work = await client.create(ManifestWork, { metadata: metadata('addon-pods-deploy-0'), spec: {} })
  const resourceMeta = {
    ordinal: 0,
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    resource: 'deployments',
    name: 'a',
  }
  const values = [{ name: 'readyReplicas', fieldValue: { type: 'Integer' as const, integer: 1 } }]
  const manifests = [{ resourceMeta, statusFeedback: { values }, conditions: [] }]
  await client.update(ManifestWork, { ...work, status: { resourceStatus: { manifests } } }, { subresource: 'status' })

  const { out } = await commands.run('addon', 'reports', 'pods')
  const rows = out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))
  assert.deepEqual(
    rows.map(([inCluster, strategy, name]) => [inCluster, strategy, name]),
    [
      ['c1', 'ConfigMap', 'pod-report/report'],
      ['c1', 'Condition', 'PodCountHealthy'],
      ['c1', 'Score', 'pods-score/podCount'],
      ['c1', 'Claim', 'pods.k8s-version'],
      ['c1', 'Feedback', 'deployments/a/readyReplicas'],
    ],
  )
  assert.deepEqual(
    rows.slice(1).map((row) => row[3]),
    ['True (PodCountWithinLimit): Cluster has 3 pods', '97', 'v1.36.0', '1'],
  )
  assert.equal(rows[0]?.[3]?.length, 80)
  const { items } = await commands.json<{ items: { value: string }[] }>('addon', 'reports', 'pods', '--clusters', 'c1')
  assert.equal((JSON.parse(items[0]?.value ?? '') as { pods: string[] }).pods.length, 100)
})
