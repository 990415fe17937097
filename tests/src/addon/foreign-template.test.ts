import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { AddOnTemplate, ClusterManagementAddOn, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { ClusterRole, ConfigMap, RoleBinding } from '@orrery/kinds'
import { findCondition } from '@orrery/kube'
import { HubServer } from '../hub/hub-server.js'
import { clusterWithNamespace } from './part-hub.js'

const REF = { namespace: 'c1', name: 'plain' }
const TEMPLATES = { group: AddOnTemplate.group, resource: AddOnTemplate.plural }
const WORK = { namespace: 'c1', name: 'addon-plain-deploy-0' }
const FOREIGN = /AddOnTemplate "strong-1" has spec\.addonName "strong" and cannot be used for add-on "plain"/

/** A template with one ConfigMap that has its name, and one role in the namespace of the cluster. */
async function createTemplate({ client }: HubServer, name: string, addonName: string): Promise<void> {
  const manifest = { apiVersion: 'v1', kind: ConfigMap.kind, metadata: { name, namespace: 'default' } }
  const currentCluster = { clusterRoleName: `${addonName}-agent` }
  await client.create(ClusterRole, { metadata: { name: currentCluster.clusterRoleName }, rules: [] })
  await client.create(AddOnTemplate, {
    metadata: { name },
    spec: {
      addonName,
      agentSpec: { workload: { manifests: [manifest] } },
      registration: [
        { type: 'KubeClient', kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster }] } },
      ],
    },
  })
}

function conditionOf({ status }: ManagedClusterAddOn, type: string) {
  return findCondition(status?.conditions, type)
}

suite('an add-on that refers to the template of another add-on', () => {
  test('gets nothing of it, and loses what it had', async (t) => {
    const hub = await HubServer.start(t)
    const { client } = hub
    await createTemplate(hub, 'plain-1', 'plain')
    await createTemplate(hub, 'strong-1', 'strong')
    const defaultConfigs = [{ ...TEMPLATES, name: 'plain-1' }]
    await client.create(ClusterManagementAddOn, { metadata: { name: 'plain' }, spec: { defaultConfigs } })
    await clusterWithNamespace(hub, 'c1')
    await client.create(ManagedClusterAddOn, { metadata: REF, spec: {} })
    const binding = { namespace: 'c1', name: 'open-cluster-management:plain:clusterrole:agent' }
    await hub.when(RoleBinding, binding)
    const { spec } = await hub.when(ManifestWork, WORK)

    await client.patch(ManagedClusterAddOn, REF, { spec: { configs: [{ ...TEMPLATES, name: 'strong-1' }] } })
    const refused = await hub.when(ManagedClusterAddOn, REF, (addon) =>
      ['RegistrationApplied', 'ManifestApplied'].every((type) => FOREIGN.test(conditionOf(addon, type)?.message ?? '')),
    )
    assert.equal(conditionOf(refused, 'RegistrationApplied')?.reason, 'SetPermissionFailed')
    assert.equal(conditionOf(refused, 'ManifestApplied')?.reason, 'ManifestWorkApplyFailed')
    await hub.whenGone(RoleBinding, binding)
    assert.deepEqual((await client.get(ManifestWork, WORK)).spec, spec, 'its work stays as it was')

    await client.patch(ManagedClusterAddOn, REF, { spec: { configs: null } })
    const again = await hub.when(RoleBinding, binding)
    assert.equal(again.roleRef.name, 'plain-agent')
  })
})
