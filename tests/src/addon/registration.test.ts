import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import {
  type AgentAddon,
  agentSubject,
  grantClusterRole,
  grantRole,
  grants,
  type RegistrationOptions,
  registrationControllers,
  SubjectNotReady,
  tokenUser,
} from '@orrery/addon'
import {
  type AddOnRegistration,
  ManagedCluster,
  ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
} from '@orrery/api'
import { ClusterRoleBinding, Role, RoleBinding } from '@orrery/kinds'
import { findCondition, ownerReferenceTo, writeStatus } from '@orrery/kube'
import type { HubServer } from '../hub/hub-server.js'
import { clusterWithNamespace, ownedAddon, partHub } from './part-hub.js'

const ROLE = 'open-cluster-management:hello:agent'
const REF = { namespace: 'c1', name: 'hello' }
const READ = { name: ROLE, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] }
const ADC = { group: 'addon.open-cluster-management.io', version: 'v1beta1', resource: 'addondeploymentconfigs' }

function agent(registration?: RegistrationOptions, more: Partial<AgentAddon> = {}): AgentAddon {
  return { name: 'hello', manifests: () => [], ...(registration && { registration }), ...more }
}

async function installed(t: TestContext, addon: AgentAddon): Promise<HubServer> {
  const hub = await partHub(t, [addon], registrationControllers)
  await clusterWithNamespace(hub, 'c1')
  await ownedAddon(hub, 'c1', 'hello')
  return hub
}

function condition({ status }: ManagedClusterAddOn): string | undefined {
  const found = findCondition(status?.conditions, 'RegistrationApplied')
  return found && `${found.status} ${found.reason}: ${found.message}`
}

const whenCondition = (hub: HubServer, text: string) =>
  hub.when(ManagedClusterAddOn, REF, (addon) => condition(addon) === text)

const TRUE_NIL = 'True NilRegistration: Registration of the addon agent is configured'
const TRUE_APPLIED = 'True SetPermissionApplied: Registration of the addon agent is configured'
const PENDING = 'False PermissionConfigPending: registration subject not ready'

const identity = { configurations: () => [{ type: 'kubeClient' as const, user: 'u', groups: ['g'] }] }

suite('addonRegistration: conditions', () => {
  const table: readonly [title: string, addon: AgentAddon, expected: string, status: ManagedClusterAddOnStatus][] = [
    ['an agent without a registration', agent(), TRUE_NIL, {}],
    ['a registration without identities', agent({}), TRUE_NIL, {}],
    [
      'an identity without permissions',
      agent(identity),
      TRUE_APPLIED,
      {
        namespace: 'open-cluster-management-agent-addon',
        registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] } } }],
      },
    ],
    [
      'a subject that never comes',
      agent({ ...identity, permissions: () => Promise.reject(new SubjectNotReady()) }),
      PENDING,
      {
        namespace: 'open-cluster-management-agent-addon',
        registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] } } }],
      },
    ],
    [
      'permissions that cannot be granted',
      agent({ ...identity, permissions: () => Promise.reject(new Error('no luck')) }),
      'False SetPermissionFailed: Failed to set permission for hub agent: no luck',
      {},
    ],
    [
      'identities that cannot be determined',
      agent({
        configurations: () => Promise.reject(new Error('x')),
        permissions: () => Promise.reject(new Error('no template')),
      }),
      'False SetPermissionFailed: Failed to set permission for hub agent: no template',
      {},
    ],
    [
      'a namespace of the add-on',
      agent(identity, { agentInstallNamespace: async () => 'mine', supportedConfigs: [ADC] }),
      TRUE_APPLIED,
      {
        namespace: 'mine',
        supportedConfigs: [{ group: ADC.group, resource: ADC.resource }],
        registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] } } }],
      },
    ],
  ]
  for (const [title, addon, expected, status] of table) {
    test(title, async (t) => {
      const hub = await installed(t, addon)
      const { status: { conditions: _, ...rest } = {} } = await whenCondition(hub, expected)
      assert.deepEqual(rest, status)
    })
  }
})

suite('addonRegistration', () => {
  test('waits for the owner, and uses the install namespace of v1alpha1', async (t) => {
    const hub = await partHub(t, [agent(identity)], registrationControllers)
    await clusterWithNamespace(hub, 'c1')
    const annotations = { 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'older' }
    await hub.client.create(ManagedClusterAddOn, { metadata: { ...REF, annotations }, spec: {} })
    await hub.settle()
    assert.equal((await hub.client.get(ManagedClusterAddOn, REF)).status, undefined)
    const owner = { apiVersion: 'x/v1', kind: 'ClusterManagementAddOn', name: 'hello', uid: 'x' }
    await hub.client.patch(ManagedClusterAddOn, REF, { metadata: { ownerReferences: [owner] } })
    const { status } = await whenCondition(hub, TRUE_APPLIED)
    assert.equal(status?.namespace, 'older')
  })

  test('registers before it grants, binds the subject of the status, and then writes nothing', async (t) => {
    const hub = await installed(
      t,
      agent({ configurations: () => [{ type: 'kubeClient' }], permissions: grantRole(READ) }),
    )
    const seen = await whenCondition(hub, PENDING)
    assert.deepEqual(seen.status?.registrations, [{ type: 'kubeClient', kubeClient: {} }])

    await writeDriver(hub, seen, { driver: 'csr' })
    const { user, groups } = agentSubject('c1', 'hello')
    const done = await whenCondition(hub, TRUE_APPLIED)
    assert.deepEqual(done.status?.registrations?.[0]?.kubeClient, { driver: 'csr', subject: { user, groups } })
    const binding = await hub.client.get(RoleBinding, { namespace: 'c1', name: ROLE })
    assert.deepEqual(
      binding.subjects?.map(({ name }) => name),
      [user, groups[0]],
    )
    assert.equal(binding.metadata.ownerReferences?.[0]?.uid, done.metadata.uid)
    const role = await hub.client.get(Role, { namespace: 'c1', name: ROLE })
    assert.deepEqual(role.rules, READ.rules)

    await hub.settle()
    await hub.stopControllers()
    await hub.startControllers()
    await hub.settle()
    const versions = async () =>
      (
        await Promise.all([
          hub.client.get(ManagedClusterAddOn, REF),
          hub.client.get(RoleBinding, { namespace: 'c1', name: ROLE }),
          hub.client.get(Role, { namespace: 'c1', name: ROLE }),
        ])
      ).map(({ metadata }) => metadata.resourceVersion)
    assert.deepEqual(
      await versions(),
      [done, binding, role].map(({ metadata }) => metadata.resourceVersion),
    )
  })

  test('grants nothing to a subject that an agent wrote into the status', async (t) => {
    const permissions = grants(grantRole(READ), grantClusterRole({ name: 'wide', rules: READ.rules }))
    const hub = await installed(t, agent({ configurations: () => [{ type: 'kubeClient' }], permissions }))
    const pending = await whenCondition(hub, PENDING)
    const stolen = { user: 'mallory', groups: ['system:masters'] }
    await writeDriver(hub, pending, { driver: 'csr', subject: stolen })
    await whenCondition(hub, TRUE_APPLIED)
    const written = await hub.client.get(ManagedClusterAddOn, REF)
    await writeDriver(hub, written, { driver: 'token', subject: { ...stolen, user: tokenUser('c2', 'hello') } })
    await whenCondition(hub, PENDING)
    await hub.settle()
    const { user, groups } = agentSubject('c1', 'hello')
    const bindings = [
      await hub.client.get(RoleBinding, { namespace: 'c1', name: ROLE }),
      await hub.client.get(ClusterRoleBinding, { name: 'wide:c1' }),
    ]
    const bound = new Set(bindings.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name)))
    assert.deepEqual(bound, new Set([user, groups[0]]))

    const token = await hub.client.get(ManagedClusterAddOn, REF)
    assert.deepEqual(token.status?.registrations?.[0]?.kubeClient, { driver: 'token' })
    await writeDriver(hub, token, { driver: 'token', subject: { user: tokenUser('c1', 'hello') } })
    await whenCondition(hub, TRUE_APPLIED)
    const rebound = await hub.when(
      RoleBinding,
      { namespace: 'c1', name: ROLE },
      ({ subjects = [] }) => subjects.length === 1,
    )
    assert.equal(rebound.subjects?.[0]?.name, 'system:serviceaccount:c1:hello-agent')

    await hub.client.delete(ManagedClusterAddOn, REF)
    await hub.whenGone(RoleBinding, { namespace: 'c1', name: ROLE })
    await hub.whenGone(ClusterRoleBinding, { name: 'wide:c1' })
  })

  test('revokes all permissions while the cluster is denied', async (t) => {
    const custom = { namespace: 'c1', name: 'custom' }
    const permissions = grants(
      grantRole(READ),
      grantClusterRole({ name: 'wide', rules: READ.rules }),
      async (_, addon, { client }) => {
        const ownerReferences = [ownerReferenceTo(addon, ManagedClusterAddOn)]
        const roleRef = { apiGroup: Role.group, kind: 'Role', name: ROLE }
        await client.apply(
          RoleBinding,
          { metadata: { ...custom, ownerReferences }, roleRef },
          { fieldManager: 'custom' },
        )
      },
    )
    const hub = await installed(t, agent({ configurations: () => [{ type: 'kubeClient' }], permissions }))
    await writeDriver(hub, await whenCondition(hub, PENDING), { driver: 'csr' })
    await whenCondition(hub, TRUE_APPLIED)
    const roleRef = { apiGroup: Role.group, kind: 'Role', name: ROLE }
    const foreign = { namespace: 'c1', name: 'foreign' }
    await hub.client.create(RoleBinding, { metadata: foreign, roleRef, subjects: [] })

    const accept = (hubAcceptsClient: boolean) =>
      hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient } })
    await accept(false)
    const message = 'The hub does not accept the cluster c1: the addon agent has no permissions'
    await whenCondition(hub, `False HubClusterAdminDenied: ${message}`)
    for (const name of [ROLE, custom.name]) {
      assert.equal(await hub.client.find(RoleBinding, { namespace: 'c1', name }), undefined, name)
    }
    assert.equal(await hub.client.find(ClusterRoleBinding, { name: 'wide:c1' }), undefined)
    await hub.client.get(RoleBinding, foreign)

    await accept(true)
    await whenCondition(hub, TRUE_APPLIED)
    const { user, groups } = agentSubject('c1', 'hello')
    for (const binding of [
      await hub.client.get(RoleBinding, { namespace: 'c1', name: ROLE }),
      await hub.client.get(ClusterRoleBinding, { name: 'wide:c1' }),
    ]) {
      assert.deepEqual(
        binding.subjects?.map(({ name }) => name),
        [user, groups[0]],
      )
    }
    await hub.client.get(RoleBinding, custom)
  })
})

/** Writes the status of a registration as the agent of a cluster does. */
function writeDriver(
  hub: HubServer,
  addon: ManagedClusterAddOn,
  kubeClient: NonNullable<AddOnRegistration['kubeClient']>,
) {
  const registrations: AddOnRegistration[] = [{ type: 'kubeClient', kubeClient }]
  return writeStatus(hub.client, ManagedClusterAddOn, addon, ({ status }) => ({ ...status, registrations }))
}
