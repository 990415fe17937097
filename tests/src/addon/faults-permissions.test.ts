import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { agentSubject, grantRole } from '@orrery/addon'
import { runAddonAgent } from '@orrery/addon/agent'
import { ManagedClusterAddOn } from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, ConfigMap, Role, RoleBinding } from '@orrery/kinds'
import { each } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { advance } from '../agent/joining.js'
import { afterwards } from '../support/server.js'
import { conditionText, configMap } from './addon-hub.js'
import { ADDON_NAMESPACE } from './addon-world.js'
import { startFaultWorld } from './fault-world.js'
import { hello, REF } from './hello.js'

const MINUTE = 60_000
const LEASED = 'True ManagedClusterAddOnLeaseUpdated'
const GRANTED = 'True SetPermissionApplied'
const ROLE = {
  name: 'open-cluster-management:hello:agent',
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
}
const ROLE_REF = { namespace: 'c1', name: ROLE.name }

/** Its agent may read ConfigMaps of the namespace of its cluster. */
const addon = hello(() => [configMap('one')], {
  registration: {
    configurations: ({ metadata }) => [{ type: 'kubeClient', ...agentSubject(metadata.name, 'hello') }],
    permissions: grantRole(ROLE),
  },
})

suite('faults of the permissions of an add-on', () => {
  test('a Role of the agent that is deleted on the hub is back within ten minutes', async (t) => {
    const world = await startFaultWorld(t, addon)
    const { hub } = world
    await world.reports('RegistrationApplied', GRANTED)
    await hub.settle()
    await hub.client.delete(Role, ROLE_REF)
    await hub.client.delete(RoleBinding, ROLE_REF)
    await hub.settle()
    assert.equal(await hub.client.find(Role, ROLE_REF), undefined)
    await advance(hub, 10 * MINUTE)
    await hub.when(Role, ROLE_REF)
    await hub.when(RoleBinding, ROLE_REF)
  })

  test('a controller that may not grant the permissions reports it, and grants them when it may again', async (t) => {
    const bound = (name: string, role: string) => ({
      metadata: { name },
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', apiGroup: ClusterRole.group, name: 'controller' }],
    })
    const world = await startFaultWorld(t, addon, {
      managerClient: async ({ hub }) => {
        // Everything but roles.
        const apiGroups = ['', 'addon', 'cluster', 'work'].map((name) => name && `${name}.open-cluster-management.io`)
        await hub.client.create(ClusterRole, {
          metadata: { name: 'restricted' },
          rules: [
            { apiGroups: [...apiGroups, 'certificates.k8s.io', 'events.k8s.io'], resources: ['*'], verbs: ['*'] },
          ],
        })
        await hub.client.create(ClusterRoleBinding, bound('restricted', 'restricted'))
        await hub.client.create(ClusterRoleBinding, bound('all', 'cluster-admin'))
        return hub.as('controller')
      },
    })
    const { hub } = world
    await world.reports('RegistrationApplied', GRANTED)
    await hub.client.delete(ClusterRoleBinding, { name: 'all' })
    await hub.settle()
    await advance(hub, 10 * MINUTE)
    const why = 'Failed to set permission for hub agent: roles.rbac.authorization.k8s.io'
    await world.reports('RegistrationApplied', `False SetPermissionFailed: ${why}`)
    await advance(hub, 10 * MINUTE)
    await hub.client.create(ClusterRoleBinding, bound('all', 'cluster-admin'))
    const milliseconds = await world.timeUntil('it is granted', async () => {
      const found = await hub.client.get(ManagedClusterAddOn, REF)
      return conditionText(found, 'RegistrationApplied')?.startsWith(GRANTED)
    })
    assert.ok(milliseconds <= MINUTE, `${milliseconds} ms after it may`)
  })

  test('an agent that the hub refuses does not renew its Lease until it is accepted again', async (t) => {
    const world = await startFaultWorld(t, addon)
    const { hub, spoke, manager } = world
    await world.reports('RegistrationApplied', GRANTED)
    const { user, groups } = agentSubject('c1', 'hello')
    const stopping = new AbortController()
    const ended = runAddonAgent({
      name: 'hello',
      args: ['--hub-kubeconfig=unused', '--cluster-name=c1', `--addon-namespace=${ADDON_NAMESPACE}`],
      clients: { hub: hub.as(user, ...groups), managed: spoke.client },
      controllers: ({ hubInformers }) => [
        {
          name: 'reader',
          wakes: [each(hubInformers.of(ConfigMap, { namespace: 'c1' }))],
          reconcile: () => Promise.resolve(),
        },
      ],
      clock: hub.clock,
      log: silentLogger,
      signal: stopping.signal,
    })
    afterwards(t, () => {
      stopping.abort()
      return ended
    })
    await world.reports('Available', LEASED)
    // Nothing restores the Role.
    await manager.close()
    await hub.client.delete(Role, ROLE_REF)
    await advance(hub, 20 * MINUTE)
    await world.reports('Available', 'False ManagedClusterAddOnLeaseUpdateStopped')
    const denied = 'the hub denies requests of the agent: configmaps is forbidden: User '
    const { status } = await world.reports('Degraded', `True AgentReportedProblem: ${denied}`)
    const message = status?.conditions?.find(({ type }) => type === 'Degraded')?.message ?? ''
    assert.match(
      message,
      /cannot list resource "configmaps" in API group "" in the namespace "c1".*: grant these permissions/,
    )
    await hub.client.create(Role, { metadata: ROLE_REF, rules: ROLE.rules })
    await world.reports('Available', LEASED)
    await world.reports('Degraded', 'False AgentReportedNoProblem')
  })
})
