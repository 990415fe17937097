import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  ADDON_NAMESPACE,
  AddOnCondition,
  AddOnTemplate,
  ClusterManagementAddOn,
  ManagedClusterAddOn,
  ManagedClusterSetBinding,
  Placement,
} from '@orrery/api'
import { ClusterRole, Deployment, RoleBinding, Secret } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { stringify } from 'yaml'
import { clusteradmWith } from './clusteradm.js'
import { type Served, when, whenGone } from './fleet-parts.js'
import { startOcmHub, startOrreryHub } from './hubs.js'
import { joinWithOcm, joinWithOrrery } from './joins.js'

const CLUSTER = 'c1'
const ADDON = { namespace: CLUSTER, name: 'hello' }
const AGENT = { namespace: ADDON_NAMESPACE, name: 'hello-agent' }

/** The manifest of the agent, for `clusteradm addon create`. */
async function writeManifest({ directory }: Served): Promise<string> {
  const labels = { app: 'hello-agent' }
  const container = { name: 'agent', image: 'example.com/hello', args: ['--cluster={{CLUSTER_NAME}}'] }
  const file = join(directory, 'hello.yaml')
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  }
  await writeFile(file, stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: AGENT, spec }))
  return file
}

const isAvailable = ({ status }: ManagedClusterAddOn) => isConditionTrue(status?.conditions, AddOnCondition.Available)

/** The template is rendered by the hub, and the agent registers for it. */
const COMBINATIONS = [
  ['Orrery', startOrreryHub, 'Orrery', joinWithOrrery],
  ['Orrery', startOrreryHub, 'OCM', joinWithOcm],
  ['OCM', startOcmHub, 'Orrery', joinWithOrrery],
] as const

for (const [hubOf, start, agentOf, joinWith] of COMBINATIONS) {
  test(`clusteradm: creates, enables, shows and disables an add-on with a hub of ${hubOf} and an agent of ${agentOf}`, async (t) => {
    const hub = await start(t)
    const managed = await joinWith(t, hub, CLUSTER)
    const programs = [...hub.programs, ...managed.programs]
    const clusteradm = clusteradmWith(hub.kubeconfig)
    const readConfigMaps = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
    await hub.client.create(ClusterRole, { metadata: { name: 'hello-agent' }, rules: readConfigMaps })
    const manifest = await writeManifest(managed)
    const registration = ['--hub-registration', '--cluster-role-bind', 'hello-agent']
    await clusteradm('addon', 'create', 'hello', '--filename', manifest, '--version', '1.2.3', ...registration)
    const template = await hub.client.get(AddOnTemplate, { name: 'hello-1.2.3' })
    assert.equal(template.spec?.addonName, 'hello')

    assert.match(await clusteradm('addon', 'enable', '--names', 'hello', '--clusters', CLUSTER), /hello/)
    await when(hub.client, ManagedClusterAddOn, ADDON, isAvailable, programs)
    const { spec } = await managed.client.get(Deployment, AGENT)
    const { containers = [], volumes = [] } = spec?.template.spec ?? {}
    assert.deepEqual(containers[0]?.args, [`--cluster=${CLUSTER}`])
    assert.deepEqual(
      volumes.map(({ secret }) => secret?.secretName),
      ['hello-hub-kubeconfig'],
    )
    assert.ok(await managed.client.find(Secret, { namespace: ADDON_NAMESPACE, name: 'hello-hub-kubeconfig' }))
    const { items: bindings } = await hub.client.list(RoleBinding, { namespace: CLUSTER })
    const granted = bindings.find(({ roleRef }) => roleRef.name === 'hello-agent')
    assert.match(granted?.subjects?.map(({ name }) => name).join() ?? '', /cluster:c1:addon:hello/)

    const tree = await clusteradm('get', 'addon', '--clusters', CLUSTER)
    for (const type of ['Available', 'ManifestApplied', 'RegistrationApplied']) {
      assert.match(tree, new RegExp(`<${type}> ${type} -> true`))
    }
    assert.match(tree, /<open-cluster-management-agent-addon\/hello-agent> applied/)
    const table = await clusteradm('get', 'addon', 'hello', '--output', 'table')
    assert.match(table, /^hello +1$/m)

    await clusteradm('addon', 'disable', '--names', 'hello', '--clusters', CLUSTER)
    await whenGone(hub.client, ManagedClusterAddOn, ADDON)
    await whenGone(managed.client, Deployment, AGENT)
    await whenGone(managed.client, Secret, { namespace: ADDON_NAMESPACE, name: 'hello-hub-kubeconfig' })
  })
}

test('clusteradm: creates an add-on that a Placement installs on a hub of Orrery', async (t) => {
  const hub = await startOrreryHub(t)
  const managed = await joinWithOrrery(t, hub, CLUSTER)
  const clusteradm = clusteradmWith(hub.kubeconfig)
  const namespace = 'default'
  await hub.client.create(ManagedClusterSetBinding, {
    metadata: { namespace, name: 'global' },
    spec: { clusterSet: 'global' },
  })
  await hub.client.create(Placement, { metadata: { namespace, name: 'all' }, spec: { clusterSets: ['global'] } })
  const manifest = await writeManifest(managed)
  await clusteradm('addon', 'create', 'hello', '--filename', manifest, '--placement-ref', `${namespace}/all`)
  await when(hub.client, ManagedClusterAddOn, ADDON, isAvailable, [])
  await hub.client.delete(ClusterManagementAddOn, { name: 'hello' })
  await whenGone(managed.client, Deployment, AGENT)
})
