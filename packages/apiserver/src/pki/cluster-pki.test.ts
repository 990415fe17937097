import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { connect, createServer, type TLSSocket } from 'node:tls'
import type { Clock } from '@orrery/kube/clock'
import { parseCertificatePem } from '@orrery/kube/pki'
import { type ClusterPki, type ClusterPkiOptions, openClusterPki } from './cluster-pki.js'

const DAY = 24 * 3_600_000

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pki-'))
  t.after(() => rm(directory, { recursive: true }))
  return join(directory, 'pki')
}

async function open(t: TestContext, options: ClusterPkiOptions): Promise<ClusterPki> {
  const pki = await openClusterPki(options)
  t.after(() => pki.close())
  return pki
}

test('openClusterPki: fills a new directory quickly, with private files', async (t) => {
  const directory = await temporaryDirectory(t)
  const started = performance.now()
  await open(t, { directory })
  t.diagnostic(`${(performance.now() - started).toFixed(1)} ms`)
  const files = await readdir(directory)
  assert.deepEqual(files.sort(), [
    'admin.crt',
    'admin.key',
    'apiserver.crt',
    'apiserver.key',
    'ca.crt',
    'ca.key',
    'front-proxy-ca.crt',
    'front-proxy-ca.key',
    'sa.key',
  ])
  for (const file of files) assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600, file)
  assert.equal((await stat(directory)).mode & 0o777, 0o700)
})

test('openClusterPki: keeps the keys on a second start', async (t) => {
  const directory = await temporaryDirectory(t)
  const first = await open(t, { directory, hosts: ['hub.example'] })
  const second = await open(t, { directory, hosts: ['hub.example'] })
  assert.equal(second.authority.certificatePem, first.authority.certificatePem)
  assert.deepEqual(second.serving, first.serving)
  assert.deepEqual(second.admin, first.admin)
  assert.ok(second.serviceAccountKey.equals(first.serviceAccountKey))
})

test('openClusterPki: returns keys in SEC 1 form, also those that an earlier version wrote in PKCS #8', async (t) => {
  const directory = await temporaryDirectory(t)
  const first = await open(t, { directory })
  assert.match(first.admin.key, /^-----BEGIN EC PRIVATE KEY-----\n/)
  const earlier = createPrivateKey(first.admin.key).export({ type: 'pkcs8', format: 'pem' })
  await writeFile(join(directory, 'admin.key'), earlier)
  assert.deepEqual((await open(t, { directory })).admin, first.admin)
})

test('openClusterPki: puts all names of the server into the serving certificate', async (t) => {
  const directory = await temporaryDirectory(t)
  const pki = await open(t, { directory, hosts: ['hub.example', '192.0.2.7'], serviceIp: '10.0.0.1' })
  const { altNames } = parseCertificatePem(pki.serving.certificate)
  assert.deepEqual(altNames.dns, [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'hub.example',
  ])
  assert.deepEqual(altNames.ips, ['127.0.0.1', '::1', '10.0.0.1', '192.0.2.7'])
})

test('openClusterPki: renews the serving certificate for a new host name or a damaged file, with the same CA', async (t) => {
  const directory = await temporaryDirectory(t)
  const first = await open(t, { directory })
  const second = await open(t, { directory, hosts: ['other.example'] })
  assert.notEqual(second.serving.certificate, first.serving.certificate)
  assert.equal(second.authority.certificatePem, first.authority.certificatePem)
  await writeFile(join(directory, 'apiserver.crt'), 'torn')
  const third = await open(t, { directory, hosts: ['other.example'] })
  assert.equal(await readFile(join(directory, 'apiserver.crt'), 'utf8'), third.serving.certificate)
})

test('openClusterPki: continues after an interruption that left only the key of the CA', async (t) => {
  const directory = await temporaryDirectory(t)
  const first = await open(t, { directory })
  await rm(join(directory, 'ca.crt'))
  const second = await open(t, { directory })
  assert.ok(second.authority.key.equals(first.authority.key))
})

test('openClusterPki: does not replace a missing CA key', async (t) => {
  const directory = await temporaryDirectory(t)
  await open(t, { directory })
  await rm(join(directory, 'ca.key'))
  await assert.rejects(openClusterPki({ directory }), /ca\.key does not: restore it/)
})

test('openClusterPki: names a damaged file that others depend on and keeps it', async (t) => {
  for (const file of ['ca.crt', 'ca.key', 'sa.key']) {
    const directory = await temporaryDirectory(t)
    await open(t, { directory })
    await writeFile(join(directory, file), 'broken')
    await assert.rejects(openClusterPki({ directory }), (error: Error) =>
      new RegExp(`${file}.* is damaged .*restore a copy`).test(error.message),
    )
    assert.equal(await readFile(join(directory, file), 'utf8'), 'broken')
  }
})

test('openClusterPki: works with the TLS of Node.js for server and administrator', async (t) => {
  const pki = await open(t, { directory: await temporaryDirectory(t) })
  const ca = pki.authority.certificatePem
  const server = createServer({ cert: pki.serving.certificate, key: pki.serving.key, ca, requestCert: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const client = connect({
    port,
    host: '127.0.0.1',
    servername: 'kubernetes.default.svc',
    ca,
    cert: pki.admin.certificate,
    key: pki.admin.key,
  })
  const [[peer]] = await Promise.all([
    once(server, 'secureConnection') as Promise<[TLSSocket]>,
    once(client, 'secureConnect'),
  ])
  assert.equal(client.authorized, true)
  assert.equal(peer.authorized, true)
  assert.deepEqual({ ...peer.getPeerCertificate().subject }, { O: 'system:masters', CN: 'kubernetes-admin' })
  client.destroy()
})

test('openClusterPki: renews the serving certificate before it expires, without a restart', async (t) => {
  let now = new Date('2026-01-01T00:00:00Z')
  let check: () => void = () => assert.fail('nothing was scheduled')
  const clock: Clock = {
    now: () => now,
    elapsed: () => now.getTime(),
    after: (_, callback) => {
      check = callback
      return () => undefined
    },
  }
  const directory = await temporaryDirectory(t)
  const pki = await open(t, { directory, clock })
  const first = pki.serving
  const renewed: string[] = []
  pki.onServingRenewed(({ certificate }) => renewed.push(certificate))
  now = new Date(now.getTime() + 200 * DAY)
  check()
  assert.deepEqual(renewed, [])
  now = new Date(now.getTime() + 100 * DAY)
  check()
  assert.equal(renewed.length, 1)
  assert.notEqual(pki.serving.certificate, first.certificate)
  assert.ok(parseCertificatePem(pki.serving.certificate).notAfter > parseCertificatePem(first.certificate).notAfter)
  while ((await readFile(join(directory, 'apiserver.crt'), 'utf8')) !== pki.serving.certificate)
    await new Promise(setImmediate)
})
