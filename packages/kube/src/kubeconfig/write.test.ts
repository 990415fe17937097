import assert from 'node:assert/strict'
import { lstat, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ClientConfig } from './client-config.js'
import { formatKubeconfig, kubeconfigOf } from './format.js'
import { loadKubeconfig } from './load.js'
import { parseKubeconfig } from './parse.js'
import { clientConfigOf } from './select.js'
import { directoryWith } from './testing.fixture.js'
import { mergeIntoKubeconfig, writeKubeconfig } from './write.js'

const hub: ClientConfig = {
  server: 'https://hub:6443',
  certificateAuthority: { text: '-----BEGIN CERTIFICATE-----\n' },
  clientCertificate: { file: '/pki/me.crt' },
  clientKey: { file: '/pki/me.key' },
  namespace: 'cluster1',
}

test('formatKubeconfig: round-trips through parseKubeconfig', async (t) => {
  const directory = await directoryWith(t, {})
  const path = join(directory, 'new', 'kubeconfig')
  await writeKubeconfig(path, kubeconfigOf(hub, { name: 'hub', user: 'agent' }))
  const { origin, ...read } = clientConfigOf(await loadKubeconfig({ path }))
  assert.deepEqual(read, hub)
  assert.equal(origin, `${path}: user "agent"`)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('kubeconfigOf: round-trips any configuration', async () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' })
  const pem = fc.oneof(fc.record({ text }), fc.record({ file: text.map((name) => `/${name}`) }))
  const configs = fc.record(
    {
      server: fc.constantFrom('https://a:1', 'http://b/c'),
      certificateAuthority: pem,
      tlsServerName: text,
      proxyUrl: fc.constantFrom('http://p:3128', 'socks5://p'),
      tokenFile: text.map((name) => `/${name}`),
      token: fc.oneof(text, fc.constantFrom('yes', '1e3', 'null', '0777', '~', '2001-01-01', '1:30')),
      impersonate: fc.record({ user: text, groups: fc.array(text), extra: fc.dictionary(text, fc.array(text)) }),
      namespace: fc.constant('work'),
    },
    { requiredKeys: ['server'] },
  )
  await fc.assert(
    fc.asyncProperty(configs, text, async (config, name) => {
      const written = await formatKubeconfig(kubeconfigOf(config, { name }))
      const { origin: _, ...read } = clientConfigOf(await parseKubeconfig(written))
      assert.deepEqual(read, JSON.parse(JSON.stringify(config)))
    }),
    { numRuns: 60 },
  )
})

const EXISTING = `# mine
apiVersion: v1
kind: Config
current-context: home
clusters:
- cluster:
    server: https://home # do not touch
    custom: kept
  name: home
- cluster: {server: https://old}
  name: hub
users: null
extra: kept
`

test('mergeIntoKubeconfig: adds entries to an existing file, and keeps everything else', async (t) => {
  const directory = await directoryWith(t, { config: EXISTING })
  const path = join(directory, 'config')
  await mergeIntoKubeconfig(path, kubeconfigOf(hub, { name: 'hub' }), { setCurrent: false })
  const text = await readFile(path, 'utf8')
  for (const kept of ['# mine', '# do not touch', 'custom: kept', 'extra: kept']) assert.ok(text.includes(kept), kept)
  const merged = await parseKubeconfig(text)
  assert.equal(merged.currentContext, 'home')
  assert.deepEqual([...merged.clusters.keys()], ['home', 'hub'])
  assert.equal(merged.clusters.get('hub')?.value.server, 'https://hub:6443')
  assert.equal(clientConfigOf(merged, { context: 'hub' }).namespace, 'cluster1')

  await mergeIntoKubeconfig(path, kubeconfigOf(hub, { name: 'hub' }))
  assert.equal((await parseKubeconfig(await readFile(path, 'utf8'))).currentContext, 'hub')
})

test('mergeIntoKubeconfig: is idempotent', async (t) => {
  const directory = await directoryWith(t, {})
  const path = join(directory, '.kube', 'config')
  await mergeIntoKubeconfig(path, kubeconfigOf(hub, { name: 'hub' }))
  const before = await stat(path)
  await mergeIntoKubeconfig(path, kubeconfigOf(hub, { name: 'hub' }))
  assert.equal((await stat(path)).ino, before.ino)
})

test('mergeIntoKubeconfig: does not touch a file that is no kubeconfig', async (t) => {
  const directory = await directoryWith(t, { config: 'kind: Pod\n' })
  const path = join(directory, 'config')
  await assert.rejects(mergeIntoKubeconfig(path, kubeconfigOf(hub, { name: 'hub' })), { name: 'KubeconfigError' })
  assert.equal(await readFile(path, 'utf8'), 'kind: Pod\n')
  await assert.rejects(stat(`${path}.lock`), { code: 'ENOENT' })
})

test('mergeIntoKubeconfig: concurrent writers do not lose entries', async (t) => {
  const directory = await directoryWith(t, {})
  const path = join(directory, 'config')
  const names = Array.from({ length: 8 }, (_, index) => `c${index}`)
  await Promise.all(names.map((name) => mergeIntoKubeconfig(path, kubeconfigOf(hub, { name }))))
  const { contexts } = await parseKubeconfig(await readFile(path, 'utf8'))
  assert.deepEqual([...contexts.keys()].sort(), names)
})

test('mergeIntoKubeconfig: waits for the lock of another program', async (t) => {
  const directory = await directoryWith(t, {})
  const path = join(directory, 'config')
  await writeFile(`${path}.lock`, '')
  const merging = mergeIntoKubeconfig(path, kubeconfigOf(hub, { name: 'hub' }))
  await unlink(`${path}.lock`)
  await merging
  assert.ok((await readFile(path, 'utf8')).includes('hub'))
})

test('writeKubeconfig: replaces the target of a symbolic link', async (t) => {
  const directory = await directoryWith(t, { real: '' })
  const path = join(directory, 'link')
  await symlink(join(directory, 'real'), path)
  await writeKubeconfig(path, kubeconfigOf(hub, { name: 'hub' }))
  assert.ok((await lstat(path)).isSymbolicLink())
  assert.ok((await readFile(join(directory, 'real'), 'utf8')).includes('https://hub:6443'))
})
