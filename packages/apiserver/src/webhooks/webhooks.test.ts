import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { customResourceDefinitions } from '../controllers/crd.js'
import { CONFIG_MAPS, CRDS, ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../controllers/resources.js'
import { startInnerServer } from '../testing/inner-server.fixture.js'
import { storedService } from './services.js'
import {
  CONFIG_MAP_RULE,
  CONFIGURATIONS,
  configMap,
  configure,
  create,
  patchOf,
  startWebhook,
} from './testing.fixture.js'

const start = (t: test.TestContext) => startInnerServer(t, { namespaces: ['a'] })

test('validatingWebhooks: can deny a request', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, ({ request }) =>
    request.object?.metadata.name === 'bad'
      ? { allowed: false, status: { message: 'no such thing', code: 403, reason: 'Forbidden' } }
      : { allowed: true },
  )
  await configure(server, 'Validating', 'v', hook)
  await create(server, configMap('good'))
  assert.equal(hook.asked[0]?.path, '/review?timeout=10s')
  const [asked] = hook.asked
  assert.ok(asked)
  const { uid, object, ...request } = asked.request
  assert.equal(object.metadata.name, 'good')
  assert.equal(typeof uid, 'string')
  assert.deepEqual(request, {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'good',
    namespace: 'a',
    operation: 'CREATE',
    userInfo: { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  })
  await assert.rejects(create(server, configMap('bad')), (error) => {
    assert.ok(error instanceof StatusError)
    assert.equal(error.message, 'admission webhook "v.example.com" denied the request: no such thing')
    assert.deepEqual([error.code, error.reason], [403, 'Forbidden'])
    return true
  })
})

test('validatingWebhooks: deny a request without a message', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => ({ allowed: false }))
  await configure(server, 'Validating', 'v', hook)
  await assert.rejects(create(server, configMap('x')), (error) => {
    assert.ok(error instanceof StatusError)
    assert.equal(error.message, 'admission webhook "v.example.com" denied the request without explanation')
    assert.equal(error.code, 400)
    return true
  })
})

test('mutatingWebhooks: change the object, which later ones see', async (t) => {
  const server = await start(t)
  const add = (key: string) => ({ op: 'add', path: '/metadata/labels', value: { [key]: 'yes' } })
  const first = await startWebhook(t, () => patchOf(add('first')))
  const second = await startWebhook(t, ({ request }) =>
    patchOf({ op: 'add', path: '/data', value: { seen: Object.keys(request.object.metadata.labels ?? {}).join() } }),
  )
  await configure(server, 'Mutating', 'm1', first)
  await configure(server, 'Mutating', 'm2', second)
  const made = await create(server, configMap('x'))
  assert.deepEqual(made.metadata.labels, { first: 'yes' })
  assert.deepEqual(made.data, { seen: 'first' })
})

test('mutatingWebhooks: are called again once after a later change, on request', async (t) => {
  const server = await start(t)
  const count = ({ request }: { request: { object: KubeObject } }) =>
    Object.keys((request.object.data ?? {}) as object).length
  const grow = await startWebhook(t, (asked) => {
    const key = `k${count(asked)}`
    const has = count(asked) > 0
    return patchOf(
      has ? { op: 'add', path: `/data/${key}`, value: 'v' } : { op: 'add', path: '/data', value: { [key]: 'v' } },
    )
  })
  const again = { reinvocationPolicy: 'IfNeeded' }
  await configure(server, 'Mutating', 'm1', grow, again)
  await configure(server, 'Mutating', 'm2', grow, again)
  await configure(server, 'Mutating', 'm3', grow)
  const made = await create(server, configMap('x'))
  assert.equal(grow.asked.length, 5)
  assert.deepEqual(Object.keys(made.data as object), ['k0', 'k1', 'k2', 'k3', 'k4'])
})

test('webhooks: deny or are ignored by failure policy', async (t) => {
  const server = await start(t)
  const broken = await startWebhook(t, () => ({ fail: 500, text: 'oops' }))
  await configure(server, 'Validating', 'v', broken)
  await assert.rejects(create(server, configMap('x')), (error) => {
    assert.ok(error instanceof StatusError)
    assert.equal(
      error.message,
      'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: an error on the server ("oops") has prevented the request from succeeding',
    )
    assert.equal(error.code, 500)
    return true
  })
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await configure(server, 'Validating', 'v', broken, { failurePolicy: 'Ignore' })
  await configure(server, 'Mutating', 'm', broken, { failurePolicy: 'Ignore' })
  await create(server, configMap('x'))
  assert.equal(broken.asked.length, 3)
})

test('webhooks: fail after a timeout', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => {
    setImmediate(() => server.clock.advance(3000))
    return 'silence'
  })
  await configure(server, 'Validating', 'v', hook, { timeoutSeconds: 3 })
  await assert.rejects(create(server, configMap('x')), /timeout=3s": context deadline exceeded/)
})

test('webhooks: require a certificate that the bundle verifies', async (t) => {
  const server = await start(t)
  const [hook, stranger] = [
    await startWebhook(t, () => ({ allowed: true })),
    await startWebhook(t, () => ({ allowed: true })),
  ]
  const clientConfig = { url: hook.url, caBundle: stranger.caBundle }
  await configure(server, 'Validating', 'v', hook, { clientConfig })
  await assert.rejects(create(server, configMap('x')), /x509: certificate signed by unknown authority/)
  const elsewhere = { url: hook.url.replace('localhost', '127.0.0.2'), caBundle: hook.caBundle }
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await configure(server, 'Validating', 'v', hook, { clientConfig: elsewhere })
  await assert.rejects(create(server, configMap('x')), /failed calling webhook/)
  assert.equal(hook.asked.length, 0)
})

test('webhooks: accept their own certificate in the bundle and extra slashes in the path', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => ({ allowed: true }))
  const clientConfig = { url: hook.url.replace('/review', '//review/'), caBundle: hook.ownBundle }
  await configure(server, 'Validating', 'v', hook, { clientConfig })
  await create(server, configMap('x'))
  assert.equal(hook.asked[0]?.path, '/review?timeout=10s')
})

test('webhooks: are reached through a Service, with its name in the certificate', async (t) => {
  const hook = await startWebhook(t, () => ({ allowed: true }))
  const server = await startInnerServer(t, {
    namespaces: ['a'],
    resolveService: (namespace, name, port) =>
      namespace === 'a' && port === 8443 ? { host: '127.0.0.1', port: name === 'closed' ? 1 : hook.port } : undefined,
  })
  const config = (name: string) => ({
    clientConfig: { service: { namespace: 'a', name, port: 8443, path: '/p' }, caBundle: hook.caBundle },
  })
  await configure(server, 'Validating', 'v', hook, config('hook'))
  await create(server, configMap('x'))
  assert.equal(hook.asked[0]?.path, '/p?timeout=10s')
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await configure(server, 'Validating', 'v', hook, config('other'))
  await assert.rejects(create(server, configMap('y')), /tls: failed to verify certificate/)
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await configure(server, 'Validating', 'v', hook, config('closed'))
  await assert.rejects(
    create(server, configMap('y')),
    /Post "https:\/\/closed.a.svc:8443\/p\?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused/,
  )
  const missing = { clientConfig: { service: { namespace: 'b', name: 'none' } } }
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await configure(server, 'Validating', 'v', hook, missing)
  await assert.rejects(create(server, configMap('y')), /service "none" not found/)
})

test('webhooks: are selected by rules, selectors and match conditions', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => ({ allowed: false, status: { message: 'asked' } }))
  const refused =
    (spec: JsonObject, object = configMap('x')) =>
    async () => {
      await configure(server, 'Validating', 'v', hook, spec)
      try {
        await server.client.create(CONFIG_MAPS, object)
        await server.client.delete(CONFIG_MAPS, 'a', 'x')
        return false
      } catch (error) {
        assert.match((error as Error).message, /asked/)
        return true
      } finally {
        await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
      }
    }
  const rule = (change: JsonObject) => ({ rules: [{ ...CONFIG_MAP_RULE, operations: ['CREATE'], ...change }] })
  await server.client.change(NAMESPACES, '', 'a', (live) => ({
    ...live,
    metadata: { ...live.metadata, labels: { ...live.metadata.labels, team: 'red' } },
  }))
  const labelled = configMap('x', { labels: { app: 'web' } })
  const when = (expression: string) => ({ ...rule({}), matchConditions: [{ name: 'c', expression }] })
  const cases: [string, boolean, () => Promise<boolean>][] = [
    ['operation', true, refused(rule({}))],
    ['another operation', false, refused(rule({ operations: ['DELETE'], resources: ['secrets'] }))],
    ['wildcards', true, refused(rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }))],
    ['subresources only', false, refused(rule({ resources: ['configmaps/status'] }))],
    ['cluster scope', false, refused(rule({ scope: 'Cluster' }))],
    ['namespaced scope', true, refused(rule({ scope: 'Namespaced' }))],
    ['namespace selected', true, refused({ ...rule({}), namespaceSelector: { matchLabels: { team: 'red' } } })],
    ['namespace not selected', false, refused({ ...rule({}), namespaceSelector: { matchLabels: { team: 'blue' } } })],
    ['object selected', true, refused({ ...rule({}), objectSelector: { matchLabels: { app: 'web' } } }, labelled)],
    ['object not selected', false, refused({ ...rule({}), objectSelector: { matchLabels: { app: 'web' } } })],
    ['condition holds', true, refused(when('object.metadata.name == "x" && request.operation == "CREATE"'))],
    ['condition fails', false, refused(when('request.userInfo.username == "somebody"'))],
    ['authorizer', true, refused(when('authorizer.group("").resource("configmaps").check("get").allowed()'))],
  ]
  for (const [what, expected, isRefused] of cases) assert.equal(await isRefused(), expected, what)
})

test('matchConditions: follow the failure policy on evaluation errors, and are refused on compile errors', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => ({ allowed: true }))
  const matchConditions = [{ name: 'c', expression: 'object.data.missing == "x"' }]
  await configure(server, 'Validating', 'v', hook, { matchConditions })
  await assert.rejects(
    create(server, configMap('x')),
    /is forbidden: expression 'object.data.missing == "x"' resulted in error: no such key/,
  )
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await configure(server, 'Validating', 'v', hook, { matchConditions, failurePolicy: 'Ignore' })
  await create(server, configMap('x'))
  assert.equal(hook.asked.length, 0)
  await assert.rejects(
    configure(server, 'Validating', 'w', hook, { matchConditions: [{ name: 'c', expression: 'object.' }] }),
    /webhooks\[0\]\.matchConditions\[0\]\.expression: Invalid value: "object.": compilation failed/,
  )
})

test('webhooks: are not called for their own configuration', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => ({ allowed: false }))
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
  await configure(server, 'Validating', 'v', hook, { rules })
  await server.client.delete(CONFIGURATIONS.Validating, '', 'v')
  await create(server, configMap('x'))
  assert.equal(hook.asked.length, 0)
})

test('webhooks: get the old object of a delete and cannot patch it', async (t) => {
  const server = await start(t)
  const hook = await startWebhook(t, () => patchOf({ op: 'add', path: '/data', value: {} }))
  await create(server, configMap('x'))
  await configure(server, 'Mutating', 'm', hook, { rules: [{ ...CONFIG_MAP_RULE, operations: ['DELETE'] }] })
  await assert.rejects(
    server.client.delete(CONFIG_MAPS, 'a', 'x'),
    /admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation/,
  )
  assert.equal(hook.asked[0]?.request.object, null)
  assert.equal(hook.asked[0]?.request.oldObject.metadata.name, 'x')
})

test('webhooks: fail with an invalid response', async (t) => {
  const server = await start(t)
  const answers: [JsonObject, RegExp][] = [
    [{ uid: 'other', allowed: true }, /received invalid webhook response: expected response.uid=/],
    [{ allowed: true, patch: 'W10=' }, /webhook returned response.patch but not response.patchType/],
    [{ allowed: true, patchType: 'JSONPatch' }, /webhook returned response.patchType but not response.patch/],
    [
      { allowed: true, patchType: 'JSONPatch', patch: 'bm90IGpzb24=' },
      /received undecodable patch in webhook response/,
    ],
    [patchOf({ op: 'remove', path: '/nowhere/x' }), /Internal error occurred/],
    [patchOf({ op: 'replace', path: '/kind', value: 'Secret' }), /Internal error occurred|cannot be handled/],
  ]
  let current: JsonObject = {}
  const hook = await startWebhook(t, () => current)
  await configure(server, 'Mutating', 'm', hook)
  for (const [answer, expected] of answers) {
    current = answer
    await assert.rejects(create(server, configMap('x')), expected)
  }
})

test('webhooks: get the object in the version that they match', async (t) => {
  const server = await startInnerServer(t, { namespaces: ['a'], controllers: [customResourceDefinitions] })
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await server.client.create(CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
    },
  })
  await server.eventually(CRDS, '', 'widgets.example.com', (crd) =>
    JSON.stringify(crd?.status).includes('InitialNames'),
  )
  const hook = await startWebhook(t, () => patchOf({ op: 'add', path: '/spec', value: { by: 'hook' } }))
  const rules = [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['widgets'] }]
  await configure(server, 'Mutating', 'm', hook, { rules })
  const widgets = { group: 'example.com', resource: 'widgets' }
  const widget = (name: string) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace: 'a', name },
  })
  const made = await server.client.create(widgets, widget('w'))
  assert.equal(hook.asked[0]?.request.object.apiVersion, 'example.com/v2')
  assert.deepEqual([made.apiVersion, made.spec], ['example.com/v1', { by: 'hook' }])
  await server.client.delete(CONFIGURATIONS.Mutating, '', 'm')
  await configure(server, 'Mutating', 'm', hook, { rules, matchPolicy: 'Exact' })
  await server.client.create(widgets, widget('exact'))
  assert.equal(hook.asked.length, 1)
})

test('storedService: returns an endpoint or the ClusterIP', async (t) => {
  const server = await start(t)
  const find = storedService(server.store)
  const spec = { ports: [{ port: 443, name: 'https' }] }
  const service = (name: string, more: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'a', name },
    spec: { ...spec, ...more },
  })
  await server.client.create(SERVICES, service('plain', { clusterIP: '10.96.0.9' }))
  assert.deepEqual(find('a', 'plain', 443), { host: '10.96.0.9', port: 443 })
  assert.throws(() => find('a', 'plain', 80), /no service port 80 found for service "plain"/)
  await server.client.create(SERVICES, service('headless', { clusterIP: 'None' }))
  assert.throws(() => find('a', 'headless', 443), /cannot route to service with ClusterIP "None"/)
  await server.client.create(ENDPOINT_SLICES, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'a', name: 'x', labels: { 'kubernetes.io/service-name': 'headless' } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['192.0.2.1'], conditions: { ready: false } },
      { addresses: ['192.0.2.2'], conditions: { ready: true } },
    ],
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
  })
  assert.deepEqual(find('a', 'headless', 443), { host: '192.0.2.2', port: 8443 })
})
