import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '@orrery/api'
import { Namespace, Secret } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { secretText } from '@orrery/kube/credentials'
import { readRequest } from '@orrery/kube/csr'
import { parseKubeconfig } from '@orrery/kube/kubeconfig'
import { advance } from '../agent/joining.js'
import { HUB_SERVER } from '../agent/spoke.js'
import { ADDON_NAMESPACE, certificateIn, KUBE_CLIENT, startAddonWorld } from './addon-world.js'

const SUBJECT = 'system:open-cluster-management:cluster:c1:addon:hello'
const SIGNER = { type: 'customSigner' as const, customSigner: { signerName: 'example.com/signer' } }

test('addonPart: requests a certificate for a registration and stores it as Open Cluster Management does', async (t) => {
  const world = await startAddonWorld(t)
  await world.addAddon('hello')
  const request = await world.approveNext('hello')
  assert.match(request.metadata.name, /^addon-c1-hello-/)
  assert.deepEqual(request.metadata.labels, {
    'open-cluster-management.io/cluster-name': 'c1',
    'open-cluster-management.io/addon-name': 'hello',
  })
  assert.equal(request.spec.signerName, 'kubernetes.io/kube-apiserver-client')
  assert.deepEqual(request.spec.usages, ['digital signature', 'key encipherment', 'client auth'])
  const { subject, altNames } = readRequest(request)
  assert.equal(subject.commonName, `${SUBJECT}:agent:hello`)
  assert.deepEqual(subject.organizations, [SUBJECT])
  assert.deepEqual(altNames.dns, ['hello.addon.open-cluster-management.io'])

  const secret = await world.whenSecret('hello-hub-kubeconfig', ADDON_NAMESPACE)
  assert.deepEqual(Object.keys(secret.data ?? {}).sort(), ['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key'])
  assert.equal(secretText(secret, 'cluster-name'), 'c1')
  const { contexts, clusters, users, currentContext } = await parseKubeconfig(secretText(secret, 'kubeconfig') ?? '')
  assert.equal(currentContext, 'default-context')
  const context = contexts.get('default-context')?.value
  assert.deepEqual(context, { cluster: 'hub', user: 'default-auth', namespace: 'configuration' })
  assert.deepEqual(users.get('default-auth')?.value, { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' })
  assert.equal(clusters.get('hub')?.value.server, HUB_SERVER)

  const addon = await world.whenCondition('hello', 'ClusterCertificateRotated', 'True', 'ClientCertificateUpdated')
  assert.deepEqual(addon.status?.registrations, [{ type: 'kubeClient', kubeClient: { driver: 'csr' } }])
  assert.deepEqual(await world.secret('hello-hub-kubeconfig-request'), undefined, 'no pending request is left')
})

test('addonPart: waits for the subject that the hub sets after the driver, and sends one request', async (t) => {
  const world = await startAddonWorld(t)
  const { hub } = world
  const lastTransitionTime = formatTime(hub.clock.now())
  const registered = {
    type: 'RegistrationApplied',
    status: 'True',
    reason: 'SetPermissionApplied',
    message: '',
  } as const
  const conditions = [{ ...registered, lastTransitionTime }]
  const addon = await world.addAddon('hello', [KUBE_CLIENT], { conditions })
  await hub.when(ManagedClusterAddOn, world.refOf('hello'), ({ status }) => {
    return status?.registrations?.[0]?.kubeClient?.driver === 'csr'
  })
  await hub.settle()
  assert.deepEqual(await world.requests('hello'), [])
  const subject = { user: 'late', groups: ['later'] }
  await world.setStatus(addon, { registrations: [{ type: 'kubeClient', kubeClient: { driver: 'csr', subject } }] })
  const request = await world.approveNext('hello')
  assert.equal(readRequest(request).subject.commonName, 'late')
  await world.whenSecret('hello-hub-kubeconfig')
  assert.equal((await world.requests('hello')).length, 1)

  // A hub that sets none.
  await world.addAddon('other', [KUBE_CLIENT], {
    conditions: [{ ...registered, lastTransitionTime: formatTime(hub.clock.now()) }],
  })
  const byDefault = await world.approveNext('other')
  assert.equal(readRequest(byDefault).subject.commonName, `${SUBJECT.replace('hello', 'other')}:agent:other`)
})

test('addonPart: rotates a certificate before it expires, and requests one that expired while the hub was unreachable', async (t) => {
  const world = await startAddonWorld(t, { certificateSeconds: 3_600 })
  const { hub, link } = world
  await world.addAddon('hello')
  await world.approveNext('hello')
  const first = certificateIn(await world.whenSecret('hello-hub-kubeconfig'))
  await advance(hub, 50 * 60_000)
  await world.approveNext('hello')
  const isNewer = (than: Date) => (secret: Secret) => certificateIn(secret).notBefore > than
  const second = certificateIn(await world.whenSecret('hello-hub-kubeconfig', undefined, isNewer(first.notBefore)))
  assert.ok(hub.clock.now() < first.notAfter)

  link.cut(HUB_SERVER)
  await advance(hub, 2 * 3_600_000)
  const kept = (await world.secret('hello-hub-kubeconfig')) as Secret
  assert.equal(certificateIn(kept).fingerprint, second.fingerprint, 'the agent keeps what it has')
  link.mend(HUB_SERVER)
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig', undefined, isNewer(second.notBefore))
})

test('addonPart: replaces a Secret that a user deleted or changed, and writes nothing otherwise', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke, refOf } = world
  const addon = await world.addAddon('hello', [KUBE_CLIENT], { healthCheck: { mode: 'Customized' } })
  await world.approveNext('hello')
  const secret = await world.whenSecret('hello-hub-kubeconfig')
  await world.whenCondition('hello', 'ClusterCertificateRotated', 'True')
  await hub.settle()
  const rotated = ({ status }: ManagedClusterAddOn) =>
    status?.conditions?.find(({ type }) => type === 'ClusterCertificateRotated')
  const before = rotated(await hub.client.get(ManagedClusterAddOn, refOf('hello')))
  await world.setStatus(addon, { relatedObjects: [{ group: '', resource: 'configmaps', name: 'x' }] })
  await advance(hub, 10 * 60_000)
  assert.deepEqual(rotated(await hub.client.get(ManagedClusterAddOn, refOf('hello'))), before)
  assert.equal((await world.secret('hello-hub-kubeconfig'))?.metadata.resourceVersion, secret.metadata.resourceVersion)
  assert.equal((await world.requests('hello')).length, 1)

  await spoke.client.delete(Secret, secret.metadata)
  await world.approveNext('hello')
  const again = await world.whenSecret('hello-hub-kubeconfig')
  await spoke.client.patch(Secret, again.metadata, { data: { 'tls.crt': null } })
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig', undefined, ({ data }) => data?.['tls.crt'] !== undefined)
})

test('addonPart: custom signers have Secrets without a kubeconfig, which move and go with their registrations', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, refOf } = world
  const subject = { user: 'agent', groups: ['group'], organizationUnits: ['unit'] }
  const addon = await world.addAddon('hello', [
    { ...SIGNER, customSigner: { ...SIGNER.customSigner, subject } },
    KUBE_CLIENT,
  ])
  await world.approveNext('hello')
  await world.approveNext('hello')
  const secret = await world.whenSecret('hello-example.com-signer-client-cert')
  assert.deepEqual(Object.keys(secret.data ?? {}).sort(), ['cluster-name', 'tls.crt', 'tls.key'])
  const issued = certificateIn(secret).subject
  assert.deepEqual(
    [issued.commonName, ...issued.organizations, ...issued.organizationalUnits],
    ['agent', 'group', 'unit'],
  )

  const moved = { ...SIGNER, customSigner: { signerName: 'example.com/other', subject } }
  await world.setStatus(addon, { registrations: [moved], namespace: 'elsewhere' })
  await world.approveNext('hello')
  await world.whenSecret('hello-example.com-other-client-cert', 'elsewhere')
  const namespace = await world.spoke.client.get(Namespace, { name: 'elsewhere' })
  assert.equal(namespace.metadata.labels?.['addon.open-cluster-management.io/namespace'], 'true')
  await world.whenNoSecret('hello-example.com-signer-client-cert')
  await world.whenNoSecret('hello-hub-kubeconfig')

  // While the add-on is being deleted, its agent may still need its credentials.
  const finalizers = ['addon.open-cluster-management.io/addon-pre-delete']
  await hub.client.patch(ManagedClusterAddOn, refOf('hello'), { metadata: { finalizers } })
  await hub.client.delete(ManagedClusterAddOn, refOf('hello'))
  await world.setStatus(addon, { registrations: [] })
  await advance(hub, 60_000)
  assert.ok(await world.secret('hello-example.com-other-client-cert', 'elsewhere'))
  await hub.client.patch(ManagedClusterAddOn, refOf('hello'), { metadata: { finalizers: [] } })
  await world.whenNoSecret('hello-example.com-other-client-cert', 'elsewhere')
})

test('addonPart: deletes the Secrets of add-ons that were removed while the agent was stopped', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke, link, refOf } = world
  await world.addAddon('hello')
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig')
  await world.agent.close()
  await hub.client.delete(ManagedClusterAddOn, refOf('hello'))
  const { addonPart } = await import('@orrery/agent')
  await spoke.startAgent(link, { clusterName: 'c1', parts: [addonPart] })
  await world.whenNoSecret('hello-hub-kubeconfig')
})
