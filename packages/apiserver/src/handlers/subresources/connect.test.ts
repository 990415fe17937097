import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PathClient } from '../../testing/path-client.fixture.js'
import { failureOf, testServer } from '../../testing/test-server.fixture.js'
import { patchOf, startWebhook, type TestWebhook } from '../../webhooks/testing.fixture.js'
import type { Connector } from './connect.js'

const PODS = '/api/v1/namespaces/default/pods'
const EXEC = `${PODS}/web/exec?command=ls&command=-l&stdout=true&stdin=1&container=main`

/** Starts a server with a pod that is bound to a node, and records the calls of its connectors. */
async function started(t: TestContext) {
  const given: unknown[] = []
  const connector: Connector = async (exchange, _target, _identity, options) => {
    given.push(options)
    exchange.reply(200, {}, Buffer.from('{}'))
  }
  const connectors = { 'pods/exec': connector, 'pods/attach': connector, 'pods/portforward': connector }
  const { client, server } = await testServer(t, { connectors })
  const containers = [
    { name: 'main', image: 'i' },
    { name: 'other', image: 'i' },
  ]
  await client.create(PODS, { metadata: { name: 'web' }, spec: { nodeName: 'n', containers } })
  return { client, server, given }
}

async function configure(client: PathClient, kind: 'Mutating' | 'Validating', hook: TestWebhook): Promise<void> {
  const rules = [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/*'] }]
  const clientConfig = { url: hook.url, caBundle: hook.caBundle }
  const about = { sideEffects: 'None', admissionReviewVersions: ['v1'], name: 'connect.example.com' }
  await client.create(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
    metadata: { name: kind.toLowerCase() },
    webhooks: [{ ...about, clientConfig, rules }],
  })
}

test('connect: shows the options to admission webhooks, which can deny the connection', async (t) => {
  const { client, given } = await started(t)
  const hook = await startWebhook(t, () => ({ allowed: false, status: { message: 'not today', code: 403 } }))
  await configure(client, 'Validating', hook)
  const failure = await failureOf(client.create(EXEC, {}))
  assert.equal(failure.code, 403)
  assert.equal(failure.message, 'admission webhook "connect.example.com" denied the request: not today')
  assert.deepEqual(given, [])
  const [asked] = hook.asked
  assert.ok(asked)
  const { uid: _, userInfo: __, ...request } = asked.request
  assert.deepEqual(request, {
    kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subResource: 'exec',
    requestKind: { group: '', version: 'v1', kind: 'PodExecOptions' },
    requestResource: { group: '', version: 'v1', resource: 'pods' },
    requestSubResource: 'exec',
    name: 'web',
    namespace: 'default',
    operation: 'CONNECT',
    object: {
      kind: 'PodExecOptions',
      apiVersion: 'v1',
      stdin: true,
      stdout: true,
      container: 'main',
      command: ['ls', '-l'],
    },
    oldObject: null,
    dryRun: false,
    options: null,
  })
  for (const [path, kind] of [
    ['attach?stdout=true&container=main', 'PodAttachOptions'],
    ['portforward?ports=80', 'PodPortForwardOptions'],
    ['proxy/a/b', 'PodProxyOptions'],
  ]) {
    assert.equal((await failureOf(client.create(`${PODS}/web/${path}`, {}))).code, 403)
    assert.deepEqual(hook.asked.at(-1)?.request.kind, { group: '', version: 'v1', kind })
  }
})

test('connect: applies the changes of a mutating webhook to the options', async (t) => {
  const { client, given } = await started(t)
  const hook = await startWebhook(t, () => patchOf({ op: 'replace', path: '/container', value: 'other' }))
  await configure(client, 'Mutating', hook)
  await client.create(EXEC, {})
  const about = { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, stdout: true }
  assert.deepEqual(given, [{ ...about, container: 'other', command: ['ls', '-l'] }])
})

test('connect: does not match object selectors, since options have no labels', async (t) => {
  const { client, given } = await started(t)
  const hook = await startWebhook(t, () => ({ allowed: false }))
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
  await client.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'labelled' },
    webhooks: [
      {
        name: 'labelled.example.com',
        clientConfig: { url: hook.url, caBundle: hook.caBundle },
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        objectSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
      },
    ],
  })
  await client.create(`${PODS}/web/portforward?ports=80,443`, {})
  assert.deepEqual(given, [{ kind: 'PodPortForwardOptions', apiVersion: 'v1', ports: [80, 443] }])
})

test('connect: returns a permanent error in a cluster without nodes', async (t) => {
  const { client } = await testServer(t)
  const containers = [{ name: 'main', image: 'i' }]
  await client.create(PODS, { metadata: { name: 'web' }, spec: { nodeName: 'n', containers } })
  for (const subresource of ['exec?command=ls&stdout=true', 'attach?stdout=true', 'portforward', 'proxy']) {
    assert.equal((await failureOf(client.create(`${PODS}/web/${subresource}`, {}))).code, 400)
  }
})
