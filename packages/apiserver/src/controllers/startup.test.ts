import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { secretValue } from '../authn/service-account-token.js'
import { startInnerServer } from '../testing/inner-server.fixture.js'
import { startControllers } from './index.js'
import {
  API_SERVICES,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CRDS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  PRIORITY_CLASSES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from './resources.js'

const EVENTS = { group: '', resource: 'events' }

async function start(t: test.TestContext) {
  const server = await startInnerServer(t)
  const controllers = startControllers(server.context)
  t.after(() => controllers.stop())
  await controllers.ready()
  return server
}

test('controllers: create the default objects of a new cluster', async (t) => {
  const { client, store, context } = await start(t)
  assert.ok(store.count('clusterroles.rbac.authorization.k8s.io') > 60)
  const rules = (name: string) => ((client.get(CLUSTER_ROLES, '', name)?.rules ?? []) as unknown[]).length
  assert.ok(rules('admin') > rules('edit') && rules('edit') > rules('view') && rules('view') > 0)
  assert.ok(client.get(PRIORITY_CLASSES, '', 'system-node-critical'))
  assert.ok(client.get(SERVICE_ACCOUNTS, 'kube-public', 'default'))
  const root = client.get(CONFIG_MAPS, 'default', 'kube-root-ca.crt')
  assert.deepEqual(root?.data, { 'ca.crt': context.authority.certificatePem })
  const authentication = client.get(CONFIG_MAPS, 'kube-system', 'extension-apiserver-authentication')
  assert.deepEqual(authentication?.data, {
    'client-ca-file': context.authority.certificatePem,
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-client-ca-file': context.frontProxyAuthority.certificatePem,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  })
  const service = client.get(SERVICES, 'default', 'kubernetes')?.spec as { clusterIP?: string } | undefined
  assert.equal(service?.clusterIP, '10.96.0.1')
  assert.ok(client.get(ENDPOINTS, 'default', 'kubernetes'))
  assert.ok(client.get(ENDPOINT_SLICES, 'default', 'kubernetes'))
})

test('authenticationInfo: reverts changes and keeps additions of other writers', async (t) => {
  const server = await start(t)
  const [namespace, name] = ['kube-system', 'extension-apiserver-authentication']
  await server.client.change(CONFIG_MAPS, namespace, name, (live) => ({
    ...live,
    data: { ...(live.data as object), 'requestheader-allowed-names': '[]', other: 'x' },
  }))
  const right = await server.eventually(CONFIG_MAPS, namespace, name, (map) => {
    const data = (map?.data ?? {}) as Record<string, string>
    return data['requestheader-allowed-names'] === '["front-proxy-client"]'
  })
  assert.equal((right?.data as Record<string, string> | undefined)?.other, 'x')
})

test('serviceIpAddresses: creates and deletes IPAddresses with their Services', async (t) => {
  const server = await start(t)
  const addresses = { group: 'networking.k8s.io', resource: 'ipaddresses' }
  assert.ok(server.client.get({ group: 'networking.k8s.io', resource: 'servicecidrs' }, '', 'kubernetes'))
  await server.eventually(addresses, '', '10.96.0.1', (address) => address !== undefined)
  const spec = { ports: [{ port: 80 }], clusterIP: '10.96.0.77' }
  await server.client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name: 's' },
    spec,
  })
  await server.eventually(addresses, '', '10.96.0.77', (address) => address !== undefined)
  await server.client.delete(SERVICES, 'default', 's')
  await server.eventually(addresses, '', '10.96.0.77', (address) => address === undefined)
})

test('controllers: change nothing on a second start', async (t) => {
  const server = await start(t)
  await server.store.flushed()
  const { revision } = server.store
  const again = startControllers(server.context)
  await again.ready()
  await again.stop()
  assert.equal(server.store.revision, revision)
})

test('apiServices: follows the served group versions', async (t) => {
  const server = await start(t)
  const available = (service: KubeObject | undefined) => JSON.stringify(service?.status ?? '').includes('"Local"')
  assert.ok(available(server.client.get(API_SERVICES, '', 'v1.')))
  assert.ok(available(server.client.get(API_SERVICES, '', 'v1.apps')))
  await server.client.create(CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  await server.eventually(API_SERVICES, '', 'v1.example.com', available)
  await server.client.delete(CRDS, '', 'widgets.example.com')
  await server.eventually(API_SERVICES, '', 'v1.example.com', (service) => service === undefined)
})

test('rootCertificates: reverts changes', async (t) => {
  const server = await start(t)
  const pem = server.context.authority.certificatePem
  await server.client.change(CONFIG_MAPS, 'default', 'kube-root-ca.crt', (live) => ({
    ...live,
    data: { 'ca.crt': 'mine' },
  }))
  await server.eventually(CONFIG_MAPS, 'default', 'kube-root-ca.crt', (map) => {
    return (map?.data as Record<string, string> | undefined)?.['ca.crt'] === pem
  })
  await server.client.delete(SERVICE_ACCOUNTS, 'default', 'default')
  await server.eventually(SERVICE_ACCOUNTS, 'default', 'default', (account) => account !== undefined)
})

test('serviceAccountTokens: fills a token Secret and deletes it with its account', async (t) => {
  const server = await start(t)
  const metadata = { namespace: 'default', name: 'robot' }
  await server.client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  await server.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { namespace: 'default', name: 't', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
  })
  const secret = await server.eventually(
    SECRETS,
    'default',
    't',
    (found) => found !== undefined && secretValue(found, 'token') !== '',
  )
  assert.equal(secretValue(secret as KubeObject, 'namespace'), 'default')
  await server.client.delete(SERVICE_ACCOUNTS, 'default', 'robot')
  await server.eventually(SECRETS, 'default', 't', (found) => found === undefined)
})

test('bootstrapTokens: deletes an expired token', async (t) => {
  const server = await start(t)
  const expiration = new Date(server.clock.now().getTime() + 60_000).toISOString()
  await server.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef' },
    data: { expiration: Buffer.from(expiration).toString('base64') },
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(server.client.get(SECRETS, 'kube-system', 'bootstrap-token-abcdef'))
  server.clock.advance(61_000)
  await server.eventually(SECRETS, 'kube-system', 'bootstrap-token-abcdef', (found) => found === undefined)
})

test('eventExpiry: deletes an event an hour after its last write', async (t) => {
  const server = await start(t)
  const event = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'Started',
    type: 'Normal',
  })
  await server.client.create(EVENTS, event('old'))
  server.clock.advance(30 * 60_000)
  await server.client.create(EVENTS, event('new'))
  server.clock.advance(31 * 60_000)
  await server.eventually(EVENTS, 'default', 'old', (found) => found === undefined)
  assert.ok(server.client.get(EVENTS, 'default', 'new'))
})

test('controllers: create account and certificate of a new namespace', async (t) => {
  const server = await start(t)
  await server.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fresh' } })
  await server.eventually(SERVICE_ACCOUNTS, 'fresh', 'default', (found) => found !== undefined)
  await server.eventually(CONFIG_MAPS, 'fresh', 'kube-root-ca.crt', (found) => found !== undefined)
})
