import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addonPart } from '@orrery/agent'
import { ManagedClusterAddOn } from '@orrery/api'
import { RoleBinding, type Secret } from '@orrery/kinds'
import { secretText } from '@orrery/kube/credentials'
import { parseKubeconfig } from '@orrery/kube/kubeconfig'
import { advance } from '../agent/joining.js'
import { KUBE_CLIENT, startAddonWorld } from './addon-world.js'

const token = { kubeClientDriver: 'token', tokenSeconds: 3_600 } as const
const customized = { healthCheck: { mode: 'Customized' } } as const

test('addonPart: with the token driver, keeps a token of the service account that the hub creates', async (t) => {
  const world = await startAddonWorld(t, { addons: token })
  const { hub, refOf } = world
  await hub.stopControllers()
  const subject = { user: 'someone', groups: ['group'] }
  await world.addAddon('hello', [{ ...KUBE_CLIENT, kubeClient: { subject } }], customized)
  const declared = await hub.when(
    ManagedClusterAddOn,
    refOf('hello'),
    ({ status }) => status?.registrations?.[0]?.kubeClient?.driver === 'token',
  )
  assert.deepEqual(declared.status?.registrations?.[0]?.kubeClient?.subject, {
    user: 'system:serviceaccount:c1:hello-agent',
  })
  assert.equal(await world.secret('hello-hub-kubeconfig'), undefined, 'it waits for the service account')

  await hub.startControllers()
  const secret = await world.whenSecret('hello-hub-kubeconfig')
  assert.deepEqual(Object.keys(secret.data ?? {}).sort(), ['cluster-name', 'kubeconfig', 'token'])
  const { users } = await parseKubeconfig(secretText(secret, 'kubeconfig') ?? '')
  assert.deepEqual(users.get('default-auth')?.value, { tokenFile: 'token' })
  const reported = await world.whenCondition('hello', 'TokenRefreshed', 'True', 'AddonTokenRefreshed')
  const message = reported.status?.conditions?.find(({ type }) => type === 'TokenRefreshed')?.message
  assert.match(message ?? '', /^Addon token refreshed, expires at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

  await hub.settle()
  await advance(hub, 45 * 60_000)
  const unchanged = await world.secret('hello-hub-kubeconfig')
  // The log shows which reconcile wrote the Secret, and why.
  assert.deepEqual(unchanged, secret, world.spoke.log.filter((line) => line.includes('addon-registration')).join(''))
  await advance(hub, 4 * 60_000)
  const isOther = (found: Secret) => secretText(found, 'token') !== secretText(secret, 'token')
  await world.whenSecret('hello-hub-kubeconfig', undefined, isOther)
  assert.deepEqual(await world.requests('hello'), [])
})

test('addonPart: reports why a token cannot be created', async (t) => {
  const world = await startAddonWorld(t, { addons: token })
  const { hub } = world
  await world.addAddon('hello', [KUBE_CLIENT], customized)
  await world.whenCondition('hello', 'TokenRefreshed', 'True')
  await hub.stopControllers()
  await hub.client.delete(RoleBinding, { namespace: 'c1', name: 'hello-token-role' })
  await advance(hub, 49 * 60_000)
  const failed = await world.whenCondition('hello', 'TokenRefreshed', 'False', 'TokenCreationFailed')
  const message = failed.status?.conditions?.find(({ type }) => type === 'TokenRefreshed')?.message ?? ''
  assert.match(
    message,
    /^Failed to create token: failed to create token for ServiceAccount c1\/hello-agent: .*forbidden/i,
  )
  assert.ok(await world.secret('hello-hub-kubeconfig'), 'the agent keeps the token that is still valid')
  await hub.startControllers()
  await world.whenCondition('hello', 'TokenRefreshed', 'True')
})

test('addonPart: a change of the driver replaces the credentials in the Secret', async (t) => {
  const world = await startAddonWorld(t)
  const { spoke, link } = world
  const keysAre =
    (...keys: string[]) =>
    ({ data = {} }: Secret) =>
      Object.keys(data).sort().join() === keys.join()
  await world.addAddon('hello')
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig')
  await world.agent.close()
  const start = (addons = {}) => spoke.startAgent(link, { clusterName: 'c1', parts: [addonPart], addons })
  const withToken = await start(token)
  await world.whenSecret('hello-hub-kubeconfig', undefined, keysAre('cluster-name', 'kubeconfig', 'token'))
  await withToken.close()
  await start()
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig', undefined, keysAre('cluster-name', 'kubeconfig', 'tls.crt', 'tls.key'))
})
