import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDON_INSTALL_NAMESPACE_LABEL, AGENT_NAMESPACE, COPIED_FROM_LABEL, IMAGE_PULL_SECRET } from '@orrery/api'
import { Namespace, Secret } from '@orrery/kinds'
import { startAddonWorld } from './addon-world.js'

const LABELS = { [ADDON_INSTALL_NAMESPACE_LABEL]: 'true' }
const SOURCE = { namespace: AGENT_NAMESPACE, name: IMAGE_PULL_SECRET }
const TYPE = 'kubernetes.io/dockerconfigjson'
const encoded = (text: string) => Buffer.from(text).toString('base64')
const credentials = (registry: string) => ({ '.dockerconfigjson': encoded(`{"auths":{"${registry}":{}}}`) })

async function startPullWorld(t: Parameters<typeof startAddonWorld>[0]) {
  const world = await startAddonWorld(t)
  const { client } = world.spoke
  const addNamespace = (name: string, labels = {}) => client.create(Namespace, { metadata: { name, labels } })
  const secretIn = (namespace: string) => client.find(Secret, { namespace, name: IMAGE_PULL_SECRET })
  const whenCopied = (namespace: string, data: Record<string, string>, type = TYPE) =>
    world.whenSecret(IMAGE_PULL_SECRET, namespace, (copy) => {
      return JSON.stringify([copy.data, copy.type]) === JSON.stringify([data, type])
    })
  return { ...world, client, addNamespace, secretIn, whenCopied }
}

test('addonPart: copies the image pull secret to the namespaces of add-ons, and follows it', async (t) => {
  const { client, hub, addNamespace, secretIn, whenCopied, whenNoSecret } = await startPullWorld(t)
  await addNamespace('before', LABELS)
  await addNamespace('other', { [ADDON_INSTALL_NAMESPACE_LABEL]: 'false' })
  await client.create(Secret, { metadata: SOURCE, type: TYPE, data: credentials('one.example.com') })
  const copy = await whenCopied('before', credentials('one.example.com'))
  assert.deepEqual(copy.metadata.labels, { [COPIED_FROM_LABEL]: AGENT_NAMESPACE })
  await addNamespace('after', LABELS)
  await whenCopied('after', credentials('one.example.com'))
  await client.patch(Secret, SOURCE, { data: credentials('two.example.com') })
  for (const namespace of ['before', 'after']) await whenCopied(namespace, credentials('two.example.com'))
  await client.delete(Secret, { namespace: 'after', name: IMAGE_PULL_SECRET })
  const restored = await whenCopied('after', credentials('two.example.com'))
  await hub.settle()
  assert.equal((await secretIn('after'))?.metadata.resourceVersion, restored.metadata.resourceVersion)
  assert.equal(await secretIn('other'), undefined)
  await client.delete(Secret, SOURCE)
  for (const namespace of ['before', 'after']) await whenNoSecret(IMAGE_PULL_SECRET, namespace)
})

test('addonPart: keeps an image pull secret of a user until there is one to copy, also of another type', async (t) => {
  const { client, hub, addNamespace, secretIn, whenCopied } = await startPullWorld(t)
  await addNamespace('by-hand', LABELS)
  const metadata = { namespace: 'by-hand', name: IMAGE_PULL_SECRET }
  const { metadata: before } = await client.create(Secret, { metadata, data: { key: encoded('by hand') } })
  await hub.settle()
  assert.equal((await secretIn('by-hand'))?.metadata.resourceVersion, before.resourceVersion)
  await client.create(Secret, { metadata: SOURCE, type: TYPE, data: credentials('one.example.com') })
  await whenCopied('by-hand', credentials('one.example.com'))
})

test('addonPart: does not write the copy of another agent of the cluster', async (t) => {
  const { client, hub, addNamespace, secretIn, whenCopied } = await startPullWorld(t)
  for (const name of ['shared', 'own']) await addNamespace(name, LABELS)
  const labels = { [COPIED_FROM_LABEL]: 'agent-of-another-hub' }
  const metadata = { namespace: 'shared', name: IMAGE_PULL_SECRET, labels }
  await client.create(Secret, { metadata, type: TYPE, data: credentials('other.example.com') })
  await client.create(Secret, { metadata: SOURCE, type: TYPE, data: credentials('one.example.com') })
  await whenCopied('own', credentials('one.example.com'))
  await hub.settle()
  assert.deepEqual((await secretIn('shared'))?.data, credentials('other.example.com'))
})
