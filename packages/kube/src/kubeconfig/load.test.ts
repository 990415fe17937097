import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadKubeconfig } from './load.js'
import { directoryWith, plain } from './testing.fixture.js'
import { KubeconfigError } from './types.js'

test('loadKubeconfig: the first of several files to set an entry wins, and entries are not mixed', async (t) => {
  const directory = await directoryWith(t, {
    a: { clusters: [{ name: 'red', cluster: { server: 'https://a' } }], users: [{ name: 'u', user: { token: 'a' } }] },
    b: {
      ...plain('red', { server: 'https://b', 'tls-server-name': 'b' }),
      users: [
        { name: 'u', user: { username: 'b', token: 'b' } },
        { name: 'v', user: { token: 'v' } },
      ],
    },
    c: { 'current-context': 'late' },
  })
  const files = ['a', 'missing', 'b', 'a', 'c'].map((name) => join(directory, name))
  const config = await loadKubeconfig({ environment: { KUBECONFIG: `${files.join(':')}:` } })
  assert.deepEqual(config.files, [files[0], files[2], files[4]])
  assert.equal(config.currentContext, 'red')
  assert.deepEqual(config.clusters.get('red')?.value, { server: 'https://a' })
  assert.deepEqual(config.users.get('u')?.value, { token: 'a' })
  assert.deepEqual(config.users.get('v')?.value, { token: 'v' })
  assert.equal(config.contexts.get('red')?.file, files[2])
})

test('loadKubeconfig: resolves relative paths from their file', async (t) => {
  const directory = await directoryWith(t, {
    'one/config': plain(
      'x',
      { server: 'https://x', 'certificate-authority': 'ca.crt' },
      {
        'client-certificate': '../pki/me.crt',
        'client-key': '/abs/me.key',
        tokenFile: 'token',
        exec: { command: './login' },
      },
    ),
    'two/config': plain('y', { server: 'https://y' }, { exec: { command: 'aws' } }),
  })
  const KUBECONFIG = [join(directory, 'one/config'), join(directory, 'two/config')].join(':')
  const { clusters, users } = await loadKubeconfig({ environment: { KUBECONFIG } })
  assert.equal(clusters.get('x')?.value['certificate-authority'], join(directory, 'one/ca.crt'))
  assert.deepEqual(users.get('x')?.value, {
    'client-certificate': join(directory, 'pki/me.crt'),
    'client-key': '/abs/me.key',
    tokenFile: join(directory, 'one/token'),
    exec: { command: join(directory, 'one/login') },
  })
  assert.equal(users.get('y')?.value.exec?.command, 'aws')
})

test('loadKubeconfig: reads the explicit file, then KUBECONFIG, then ~/.kube/config', async (t) => {
  const directory = await directoryWith(t, {
    '.kube/config': plain('home', { server: 'https://home' }),
    other: plain('other', { server: 'https://other' }),
    env: plain('env', { server: 'https://env' }),
  })
  const environment = { HOME: directory }
  assert.equal((await loadKubeconfig({ environment })).currentContext, 'home')
  const both = { HOME: directory, KUBECONFIG: join(directory, 'env') }
  assert.equal((await loadKubeconfig({ environment: both })).currentContext, 'env')
  const path = join(directory, 'other')
  assert.equal((await loadKubeconfig({ path, environment: both })).currentContext, 'other')
})

test('loadKubeconfig: an explicit file must exist; others need not', async (t) => {
  const directory = await directoryWith(t, {})
  const path = join(directory, 'none')
  await assert.rejects(loadKubeconfig({ path }), {
    name: 'KubeconfigError',
    message: `${path}: the file does not exist`,
  })
  assert.equal((await loadKubeconfig({ environment: { KUBECONFIG: path } })).contexts.size, 0)
})

test('loadKubeconfig: names a file that cannot be read', async (t) => {
  const directory = await directoryWith(t, {})
  await assert.rejects(loadKubeconfig({ path: directory }), (error: unknown) => {
    assert.ok(error instanceof KubeconfigError)
    assert.equal(error.message, `${directory}: cannot be read (EISDIR)`)
    return true
  })
})
