import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKubeconfig } from './parse.js'
import { clientConfigOf } from './select.js'
import { plain } from './testing.fixture.js'

const parse = (content: object) => parseKubeconfig(JSON.stringify(content), '/k')
const select = async (cluster: object, user: object = {}, context: object = {}) =>
  clientConfigOf(await parse(plain('x', cluster, user, context)))
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('clientConfigOf: a context has a server, an identity and a namespace', async () => {
  const config = await select(
    {
      server: 'https://x:6443/prefix',
      'certificate-authority-data': base64('authority'),
      'tls-server-name': 'internal',
      'proxy-url': 'socks5://proxy:1080',
      'disable-compression': true,
    },
    { 'client-certificate-data': base64('certificate'), 'client-key': '/me.key', tokenFile: '/token', token: 't' },
    { namespace: 'work' },
  )
  assert.deepEqual(config, {
    server: 'https://x:6443/prefix',
    certificateAuthority: { text: 'authority' },
    tlsServerName: 'internal',
    proxyUrl: 'socks5://proxy:1080',
    disableCompression: true,
    clientCertificate: { text: 'certificate' },
    clientKey: { file: '/me.key' },
    tokenFile: '/token',
    token: 't',
    namespace: 'work',
    origin: '/k: user "x"',
  })
})

test('clientConfigOf: data takes precedence over files', async () => {
  const { certificateAuthority, clientKey } = await select(
    { server: 'https://x', 'certificate-authority': '/ca', 'certificate-authority-data': base64('data') },
    { 'client-certificate': '/c', 'client-key': '/k', 'client-key-data': base64('key') },
  )
  assert.deepEqual([certificateAuthority, clientKey], [{ text: 'data' }, { text: 'key' }])
})

test('clientConfigOf: selects a context by name', async () => {
  const one = plain('one', { server: 'https://one' })
  const two = plain('two', { server: 'https://two' })
  const both = await parse({
    'current-context': 'one',
    clusters: [...one.clusters, ...two.clusters],
    users: [...one.users, ...two.users],
    contexts: [...one.contexts, ...two.contexts],
  })
  assert.equal(clientConfigOf(both).server, 'https://one')
  assert.equal(clientConfigOf(both, { context: 'two' }).server, 'https://two')
  assert.throws(() => clientConfigOf(both, { context: 'three' }), {
    message: '/k: context "three" does not exist: choose one of "one", "two"',
  })
  assert.throws(() => clientConfigOf({ ...both, currentContext: undefined }), {
    message: '/k: current-context is not set: choose one of "one", "two"',
  })
  assert.throws(() => clientConfigOf({ ...both, contexts: new Map() }), {
    message: '/k: context "one" does not exist: the kubeconfig has no contexts',
  })
})

test('clientConfigOf: reads impersonation', async () => {
  const user = { as: 'jane', 'as-uid': 'u', 'as-groups': ['g', 'h'], 'as-user-extra': { reason: ['x', 'y'] } }
  const { impersonate } = await select({ server: 'https://x' }, user)
  assert.deepEqual(impersonate, { user: 'jane', uid: 'u', groups: ['g', 'h'], extra: { reason: ['x', 'y'] } })
})

test('clientConfigOf: reads an exec plugin with the configuration of its cluster', async () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'aws' }
  const extensions = [null, { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }]
  const config = await select({ server: 'https://x', extensions }, { exec })
  assert.deepEqual(config.exec, { ...exec, interactiveMode: 'IfAvailable' })
  assert.deepEqual(config.execClusterConfig, { audience: 'a' })
})

test('clientConfigOf: a server without a scheme uses plain HTTP, as in kubectl', async () => {
  assert.equal((await select({ server: 'localhost:8080' })).server, 'http://localhost:8080')
})

const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', interactiveMode: 'Never' }
const broken: readonly [cluster: object, user: object, context: object, message: string][] = [
  [{}, {}, {}, '/k: cluster "x": server must be a URL such as https://host:6443'],
  [{ server: 'ftp://x' }, {}, {}, '/k: cluster "x": server must be a URL such as https://host:6443'],
  [
    { server: 'https://x', 'insecure-skip-tls-verify': true, 'certificate-authority': '/ca' },
    {},
    {},
    '/k: cluster "x": insecure-skip-tls-verify contradicts certificate-authority: remove one',
  ],
  [
    { server: 'https://x', 'proxy-url': 'ftp://user:hush@proxy' },
    {},
    {},
    '/k: cluster "x": proxy-url must be a URL that begins with http://, https:// or socks5://',
  ],
  [
    {},
    { 'client-certificate': '/c' },
    {},
    '/k: user "x": client-certificate has no key: set client-key or client-key-data',
  ],
  [{}, { token: 'hush', username: 'me' }, {}, '/k: user "x": token and username are both set: remove one'],
  [{}, { 'as-groups': ['g'] }, {}, '/k: user "x": as-uid, as-groups and as-user-extra require a user: set as'],
  [
    {},
    { 'auth-provider': { name: 'gcp' } },
    {},
    '/k: user "x": auth-provider is no longer part of Kubernetes: use an exec plugin, see KEP-541',
  ],
  [{}, { exec: { ...exec, command: '' } }, {}, '/k: user "x": exec: command is not set'],
  [
    {},
    { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
    {},
    '/k: user "x": exec: apiVersion must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1; the command may need an update',
  ],
  [
    {},
    { exec: { ...exec, interactiveMode: undefined } },
    {},
    '/k: user "x": exec: interactiveMode must be Never, IfAvailable, Always',
  ],
  [{}, {}, { namespace: 'Not/One' }, '/k: context "x": "Not/One" is not a valid namespace name'],
  [{}, {}, { cluster: 'gone' }, '/k: context "x": cluster "gone" does not exist: add it to clusters'],
  [{}, {}, { user: 'gone' }, '/k: context "x": user "gone" does not exist: add it to users'],
  [{}, {}, { user: '' }, '/k: context "x": user is not set'],
]

for (const [cluster, user, context, message] of broken) {
  test(`clientConfigOf: rejects with ${message}`, async () => {
    const server = 'server' in cluster || message.includes('server must') ? cluster : { server: 'https://x' }
    await assert.rejects(select(server, user, context), { name: 'KubeconfigError', message })
  })
}
