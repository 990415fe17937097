import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ADDON_GROUP,
  AddOnDeploymentConfig,
  AddOnTemplate,
  HOSTING_CLUSTER_ANNOTATION,
  ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
  ManagedClusterAddOnV1Alpha1,
  WORK_GROUP,
} from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { alsoIn, bothWays, refusal, type StartAdmitting, WRITE, withPermissions } from './admission-hub.js'
import type { HubServer } from './hub-server.js'

const REF = { namespace: 'c1', name: 'hello' }
const ACCOUNT = 'system:serviceaccount:c1:hello-agent'
const ADDONS = { group: ADDON_GROUP, resource: 'managedclusteraddons', verbs: WRITE }
const STATUS = { group: ADDON_GROUP, resource: 'managedclusteraddons/status', verbs: WRITE }
const TEMPLATE = { group: ADDON_GROUP, resource: AddOnTemplate.plural, name: 'hello-1' }
const CONFIG = { group: ADDON_GROUP, resource: AddOnDeploymentConfig.plural, namespace: 'tenant-b', name: 'private' }

const CONDITION = {
  type: 'Available',
  status: 'True',
  reason: 'Reported',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const

const SIGNED = { type: 'customSigner', customSigner: { signerName: 'example.com/hello' } } as const
const AS_CUSTOM = { type: 'kubeClient', kubeClient: { subject: { user: 'custom-agent', groups: ['g'] } } } as const

/** What the hub has written. */
const WRITTEN: ManagedClusterAddOnStatus = {
  namespace: 'hello-agent',
  supportedConfigs: [{ group: ADDON_GROUP, resource: AddOnDeploymentConfig.plural }],
  configReferences: [
    {
      group: ADDON_GROUP,
      resource: AddOnDeploymentConfig.plural,
      desiredConfig: { namespace: 'c1', name: 'own', specHash: 'a' },
    },
  ],
  registrations: [AS_CUSTOM, SIGNED],
}

function denied(attempt: Promise<unknown>, message: RegExp): Promise<void> {
  return refusal(attempt, 403, message)
}

/** A hub with one add-on, without controllers that would repair it. */
async function withAddon(t: TestContext, start: StartAdmitting): Promise<HubServer> {
  const hub = await start(t)
  await hub.stopControllers()
  for (const name of ['c1', 'tenant-b']) await hub.client.create(Namespace, { metadata: { name } })
  await hub.client.create(ManagedClusterAddOn, { metadata: REF, spec: { configs: [CONFIG] } })
  await report(hub.client, WRITTEN)
  return hub
}

function report(client: KubeClient, status: object): Promise<ManagedClusterAddOn> {
  return client.patch(ManagedClusterAddOn, REF, { status }, { subresource: 'status' })
}

bothWays('addonRule', (start) => {
  agentTests(start)
  configTests(start)
})

function agentTests(start: StartAdmitting): void {
  test('the agent of a cluster reports conditions and drivers, and nothing else', async (t) => {
    const hub = await withAddon(t, start)
    const agent = await withPermissions(hub, 'system:open-cluster-management:c1:agent1', [ADDONS, STATUS])
    await report(agent, { conditions: [CONDITION] })
    const token = { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user: ACCOUNT } } }
    const asGo = { ...SIGNED, customSigner: { ...SIGNED.customSigner, subject: { user: '' } } }
    await report(agent, { registrations: [token, asGo] })
    await report(agent, { registrations: [{ type: 'kubeClient', kubeClient: { driver: 'csr' } }, SIGNED] })
    const { status } = await report(hub.client, { registrations: WRITTEN.registrations })
    assert.equal(status?.conditions?.length, 1)

    const [reference] = WRITTEN.configReferences ?? []
    const foreign = { ...reference, desiredConfig: { namespace: 'tenant-b', name: 'private', specHash: 'x' } }
    const user = (name: string) => ({ type: 'kubeClient', kubeClient: { subject: { user: name } } })
    for (const [change, field] of [
      [{ configReferences: [foreign] }, 'configReferences'],
      [{ configReferences: null }, 'configReferences'],
      [{ supportedConfigs: [] }, 'supportedConfigs'],
      [{ namespace: 'kube-system' }, 'namespace'],
      [{ healthCheck: { mode: 'Customized' } }, 'healthCheck'],
      [{ relatedObjects: [{ group: '', resource: 'secrets', name: 'a' }] }, 'relatedObjects'],
      [{ registrations: [AS_CUSTOM] }, 'registrations'],
      [{ registrations: null }, 'registrations'],
      [{ registrations: [user('admin'), SIGNED] }, 'registrations'],
      [{ registrations: [user('system:serviceaccount:c2:hello-agent'), SIGNED] }, 'registrations'],
      [
        { registrations: [AS_CUSTOM, { type: 'customSigner', customSigner: { signerName: 'example.com/other' } }] },
        'registrations',
      ],
    ] as const) {
      await denied(report(agent, change), new RegExp(`is an agent and cannot change status\\.${field}: it can change`))
    }
    const more = { metadata: { namespace: 'c1', name: 'more' }, spec: {} }
    await denied(agent.create(ManagedClusterAddOn, more), /is an agent and cannot create it/)
    const patch = (change: object) => agent.patch(ManagedClusterAddOn, REF, change)
    await denied(patch({ spec: { configs: [] } }), /cannot change spec:/)
    await denied(patch({ metadata: { annotations: { a: 'b' } } }), /cannot change metadata\.annotations:/)
    const finalizers = ['addon.open-cluster-management.io/addon-pre-delete']
    await denied(patch({ metadata: { finalizers } }), /cannot change metadata\.finalizers:/)
    await patch({ metadata: { finalizers: ['example.com/clean-up'] } })
  })

  test('the agent of a cluster reports the same in v1alpha1', async (t) => {
    const hub = await withAddon(t, start)
    const agent = await withPermissions(hub, 'system:open-cluster-management:c1:agent1', [ADDONS, STATUS])
    const reportOld = (status: object) =>
      agent.patch(ManagedClusterAddOnV1Alpha1, REF, { status }, { subresource: 'status' })
    const { status } = await agent.get(ManagedClusterAddOnV1Alpha1, REF)
    const [first, ...others] = status?.registrations ?? []
    const registrations = [{ ...first, subject: { user: ACCOUNT } }, ...others]
    await reportOld({ conditions: [CONDITION], kubeClientDriver: 'token', registrations })
    await denied(reportOld({ registrations: [{ ...first, subject: { user: 'admin' } }, ...others] }), /registrations/)
    await denied(reportOld({ configReferences: null }), /cannot change status\.configReferences/)
  })

  test('other agents report conditions only', async (t) => {
    const hub = await withAddon(t, start)
    const others = [
      'system:open-cluster-management:c2:agent1',
      'system:open-cluster-management:cluster:c1:addon:hello:agent:hello',
      ACCOUNT,
      'custom-agent',
    ]
    for (const username of others) {
      const agent = await withPermissions(hub, username, [ADDONS, STATUS])
      await report(agent, { conditions: [{ ...CONDITION, message: username }] })
      const driver = { type: 'kubeClient', kubeClient: { ...AS_CUSTOM.kubeClient, driver: 'token' } }
      await denied(report(agent, { registrations: [driver, SIGNED] }), /cannot change status\.registrations/)
      await denied(report(agent, { configReferences: null }), /can change only status\.conditions$/)
    }
    const controller = await withPermissions(hub, 'system:serviceaccount:hello:controller', [ADDONS, STATUS])
    await report(controller, { configReferences: null, namespace: 'other' })
  })
}

function configTests(start: StartAdmitting): void {
  test('who names a configuration of an add-on needs the permission to read it', async (t) => {
    const hub = await withAddon(t, start)
    const mallory = await withPermissions(hub, 'mallory', [ADDONS])
    const own = { ...CONFIG, namespace: 'c1' }
    const configure = (...configs: object[]) => mallory.patch(ManagedClusterAddOn, REF, { spec: { configs } })
    await configure(CONFIG, own)
    await denied(
      configure(CONFIG, { ...CONFIG, name: 'other' }),
      /user "mallory" cannot get addondeploymentconfigs\.addon\.open-cluster-management\.io "other" in namespace "tenant-b"/,
    )
    await denied(
      configure(CONFIG, TEMPLATE),
      /cannot get addontemplates\.addon\.open-cluster-management\.io "hello-1":/,
    )
    await denied(configure({ ...TEMPLATE, namespace: 'c1' }), /cannot get addontemplates/)
    await denied(configure({ group: 'example.com', resource: 'settings', name: 'all' }), /cannot get settings\.example/)
    const more = { metadata: { namespace: 'c1', name: 'more' }, spec: { configs: [CONFIG] } }
    await denied(mallory.create(ManagedClusterAddOn, more), /"private" in namespace "tenant-b"/)

    const read = { group: ADDON_GROUP, resource: AddOnDeploymentConfig.plural, verbs: ['get'] }
    await alsoIn(hub, 'tenant-b', 'mallory', read)
    await hub.eventually('mallory may name configurations that she reads', () =>
      configure({ ...CONFIG, name: 'other' }).then(
        () => true,
        () => false,
      ),
    )
    await configure()
  })

  test('who names a hosting cluster needs the permission to create works for it', async (t) => {
    const hub = await withAddon(t, start)
    const mallory = await withPermissions(hub, 'mallory', [ADDONS])
    const hosting = (name: string | null) => ({ metadata: { annotations: { [HOSTING_CLUSTER_ANNOTATION]: name } } })
    const host = (name: string | null) => mallory.patch(ManagedClusterAddOn, REF, hosting(name) as never)
    const problem = /requires the permission to create manifestworks in namespace "tenant-b"/
    await denied(host('tenant-b'), problem)
    await host('c1')
    await hub.client.patch(ManagedClusterAddOn, REF, hosting('tenant-b') as never)
    await mallory.patch(ManagedClusterAddOn, REF, { metadata: { labels: { color: 'red' } } })
    await denied(host(null), problem)
    await alsoIn(hub, 'tenant-b', 'mallory', { group: WORK_GROUP, resource: 'manifestworks', verbs: ['create'] })
    await hub.eventually('mallory may change the hosting cluster', () =>
      host(null).then(
        () => true,
        () => false,
      ),
    )
  })
}
