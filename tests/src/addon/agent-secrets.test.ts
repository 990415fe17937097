import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { secretText, writeSecret } from '@orrery/kube/credentials'
import { ADDON_NAMESPACE, KUBE_CLIENT, startAddonWorld } from './addon-world.js'

const AGENT_NAMESPACE = 'open-cluster-management-agent'

function messageOf({ status }: ManagedClusterAddOn, type = 'ClusterCertificateRotated'): string {
  return status?.conditions?.find((condition) => condition.type === type)?.message ?? ''
}

test("addonPart: never writes or deletes the agent's own Secrets, whatever the hub calls an add-on", async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke, refOf } = world
  const ref = { namespace: AGENT_NAMESPACE, name: 'bootstrap-hub-kubeconfig' }
  const before = await spoke.client.get(Secret, ref)
  await world.addAddon('bootstrap', [KUBE_CLIENT], { namespace: AGENT_NAMESPACE })
  const refused = await world.whenCondition('bootstrap', 'ClusterCertificateRotated', 'False')
  assert.match(
    messageOf(refused),
    /"open-cluster-management-agent\/bootstrap-hub-kubeconfig" is one of the cluster's own agent/,
  )
  await hub.client.delete(ManagedClusterAddOn, refOf('bootstrap'))
  await hub.settle()
  assert.deepEqual((await spoke.client.get(Secret, ref)).metadata.resourceVersion, before.metadata.resourceVersion)
  assert.deepEqual(await world.requests('bootstrap'), [])
})

test('addonPart: does not write a Secret that was created for another purpose, and does when it is gone', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke } = world
  const ref = { namespace: ADDON_NAMESPACE, name: 'hello-hub-kubeconfig' }
  await writeSecret(spoke.client, ref, { 'tls.crt': 'of a web server' })
  await world.addAddon('hello')
  const refused = await world.whenCondition(
    'hello',
    'ClusterCertificateRotated',
    'False',
    'ClientCertificateUpdateFailed',
  )
  assert.equal(
    messageOf(refused),
    `Failed to create CSR Secret "${ADDON_NAMESPACE}/hello-hub-kubeconfig" exists and was not created for this add-on: delete or rename it`,
  )
  assert.equal(secretText(await spoke.client.get(Secret, ref), 'tls.crt'), 'of a web server')
  await spoke.client.delete(Secret, ref)
  await world.setStatus(refused, {
    registrations: [{ type: 'kubeClient', kubeClient: { subject: { user: 'other' } } }],
  })
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig')
  await hub.settle()
})

test("addonPart: takes over a Secret of Open Cluster Management's agent without a new request", async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke, link } = world
  await world.addAddon('hello')
  await world.approveNext('hello')
  const { metadata, data } = await world.whenSecret('hello-hub-kubeconfig')
  await world.agent.close()
  await spoke.client.delete(Secret, metadata)
  const ref = { namespace: ADDON_NAMESPACE, name: 'hello-hub-kubeconfig' }
  await spoke.client.create(Secret, { metadata: ref, ...(data && { data }) })
  const { addonPart } = await import('@orrery/agent')
  await spoke.startAgent(link, { clusterName: 'c1', parts: [addonPart] })
  await world.whenSecret('hello-hub-kubeconfig', undefined, (found) => found.metadata.labels !== undefined)
  await hub.settle()
  assert.equal((await world.requests('hello')).length, 1)
  await spoke.client.delete(Secret, ref)
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig')
})

test('addonPart: two add-ons cannot share a Secret', async (t) => {
  const world = await startAddonWorld(t)
  const signer = (signerName: string) => ({ type: 'customSigner' as const, customSigner: { signerName } })
  await world.addAddon('hello', [signer('aa.com/b-cc.com-d')])
  await world.approveNext('hello')
  await world.whenSecret('hello-aa.com-b-cc.com-d-client-cert')
  await world.addAddon('hello-aa.com-b', [signer('cc.com/d')])
  const refused = await world.whenCondition('hello-aa.com-b', 'ClusterCertificateRotated', 'False')
  assert.match(messageOf(refused), /has credentials of add-on "hello": rename one of the add-ons$/)
})

test('addonPart: sends no request while 10 are on the hub, and continues when they are gone', async (t) => {
  const world = await startAddonWorld(t)
  const { hub } = world
  const { CertificateSigningRequest } = await import('@orrery/kinds')
  await world.addAddon('other')
  const template = await world.approveNext('other')
  const labels = { ...template.metadata.labels, 'open-cluster-management.io/addon-name': 'hello' }
  for (let i = 0; i < 10; i++) {
    const { request, signerName, usages } = template.spec
    const spec = { request, signerName, ...(usages && { usages }) }
    await hub.client.create(CertificateSigningRequest, { metadata: { name: `old-${i}`, labels }, spec })
  }
  await world.addAddon('hello')
  const halted = await world.whenCondition('hello', 'ClusterCertificateRotated', 'False')
  assert.equal(messageOf(halted), 'Stop creating csr since there are too many csr created already on hub')
  assert.equal((await world.requests('hello')).length, 10)
  for (let i = 0; i < 10; i++) await hub.client.delete(CertificateSigningRequest, { name: `old-${i}` })
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig')
})
