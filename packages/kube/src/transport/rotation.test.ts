import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rename, unlink, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Server } from 'node:tls'
import type { ClientConfig } from '../kubeconfig/client-config.js'
import { type ConfigSource, kubeconfigSource } from '../kubeconfig/source.js'
import { directoryWith, plain } from '../kubeconfig/testing.fixture.js'
import { createLogger } from '../log.js'
import { testAuthority } from '../testing/certificates.js'
import { FakeClock } from '../testing/fake-clock.js'
import { connect } from './connect.js'
import { get, issued, peerName, startHttps, until } from './server.fixture.js'

const authority = testAuthority('rotation-test', new Date())
const trusted = { text: authority.certificatePem }
const first = issued(authority, 'first')
const second = issued(authority, 'second')

/** Responds with the identity of the client; `refuses` is what the server rejects. */
async function start(t: TestContext, files: Record<string, string | object>) {
  const directory = await directoryWith(t, files)
  const refused = new Set<string>()
  let requests = 0
  const listener: RequestListener = (request, response) => {
    requests++
    const who = `${peerName(request.socket)} ${request.headers.authorization ?? ''}`.trim()
    if (refused.has(who)) response.statusCode = 401
    if (request.url?.includes('watch')) response.write(who)
    else response.end(who)
  }
  const options = {
    ...issued(authority, 'hub'),
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  }
  const server = await startHttps(t, options, listener)
  const clock = new FakeClock()
  const lines: string[] = []
  const log = createLogger({ write: (line) => lines.push(line), now: () => clock.now() })
  const open = (config: Partial<ClientConfig> | ConfigSource) => {
    const base = { server: `https://127.0.0.1:${server.port}`, certificateAuthority: trusted }
    const transport = connect('read' in config ? (config as ConfigSource) : { ...base, ...config }, {
      clock,
      log,
      retry: false,
      environment: {},
    })
    t.after(() => transport.close?.())
    return transport
  }
  const file = (name: string) => join(directory, name)
  return { server, clock, lines, open, file, refused, requests: () => requests }
}

test('Rotation: reads a token file again after a second', async (t) => {
  const { clock, open, file } = await start(t, { token: 'one\n' })
  const transport = open({ tokenFile: file('token'), token: 'never' })
  assert.equal(await get(transport), '200 nobody Bearer one')
  await writeFile(file('token'), 'second')
  clock.advance(999)
  assert.equal(await get(transport), '200 nobody Bearer one')
  clock.advance(1)
  assert.equal(await get(transport), '200 nobody Bearer second')
})

test('Rotation: reads a rejected token again at once, and sends the request again', async (t) => {
  const { open, file, refused, requests, server } = await start(t, { token: 'one' })
  const transport = open({ tokenFile: file('token') })
  await get(transport)
  refused.add('nobody Bearer one')
  await writeFile(file('token'), 'two')
  const response = await transport.request({ method: 'POST', path: '/', body: '{}' })
  assert.equal(String(await response.bytes()), 'nobody Bearer two')
  assert.equal(requests(), 3)
  assert.equal(server.connections.count, 1)
  refused.add('nobody Bearer two')
  assert.equal(await get(transport), '401 nobody Bearer two')
  assert.equal(requests(), 4)
})

test('Rotation: does not renew for a rejected token of the caller', async (t) => {
  const { open, file, refused, requests } = await start(t, { token: 'one' })
  const transport = open({ tokenFile: file('token') })
  refused.add('nobody Bearer own')
  await writeFile(file('token'), 'two')
  assert.equal(await get(transport, '/', { authorization: 'Bearer own' }), '401 nobody Bearer own')
  assert.equal(requests(), 1)
})

test('Rotation: keeps the identity if a file is missing, empty or unreadable', async (t) => {
  const { clock, open, file, lines } = await start(t, { token: 'hush' })
  const transport = open({ tokenFile: file('token') })
  await get(transport)
  for (const spoil of [() => unlink(file('token')), () => writeFile(file('token'), '\n')]) {
    await spoil()
    for (let i = 0; i < 3; i++) {
      clock.advance(1_000)
      assert.equal(await get(transport), '200 nobody Bearer hush')
    }
  }
  assert.equal(lines.length, 2, 'each problem is logged once')
  assert.ok(lines.join('').includes(`tokenFile ${file('token')} is empty`) && !lines.join('').includes('hush'))
  await writeFile(file('token'), 'back')
  clock.advance(1_000)
  assert.equal(await get(transport), '200 nobody Bearer back')
})

test('Rotation: uses a new certificate when its key is new, too', async (t) => {
  const { clock, open, file, lines, server } = await start(t, { crt: first.cert, key: first.key })
  const transport = open({ clientCertificate: { file: file('crt') }, clientKey: { file: file('key') } })
  assert.equal(await get(transport), '200 first')
  await writeFile(file('crt'), second.cert)
  clock.advance(1_000)
  assert.equal(await get(transport), '200 first')
  assert.match(lines.join(''), /client-key does not match client-certificate/)
  await writeFile(file('key.new'), second.key)
  await rename(file('key.new'), file('key'))
  clock.advance(1_000)
  assert.equal(await get(transport), '200 second')
  await until(() => server.connections.open.size === 1)
  assert.equal(server.connections.count, 2)
})

test('Rotation: keeps active requests when the identity changes, and closes idle connections', async (t) => {
  const { clock, open, file, server } = await start(t, { crt: first.cert, key: first.key })
  const transport = open({ clientCertificate: { file: file('crt') }, clientKey: { file: file('key') } })
  const { body } = await transport.request({ method: 'GET', path: '/?watch=true' })
  const events = body[Symbol.asyncIterator]()
  assert.equal(String((await events.next()).value), 'first')
  const [watching] = server.connections.open
  await get(transport)
  assert.equal(server.connections.open.size, 2)
  await writeFile(file('crt'), second.cert)
  await writeFile(file('key'), second.key)
  clock.advance(1_000)
  assert.equal(await get(transport), '200 second')
  await until(() => server.connections.open.size === 2)
  assert.ok(watching !== undefined && server.connections.open.has(watching))
  watching.destroy()
  await assert.rejects(events.next(), { code: 'ECONNRESET' })
})

test('Rotation: trusts a new authority as soon as its file changes', async (t) => {
  const { open, file, server } = await start(t, { ca: authority.certificatePem })
  const transport = open({ certificateAuthority: { file: file('ca') } })
  assert.equal(await get(transport), '200 nobody')
  const next = testAuthority('next', new Date())
  const [socket] = server.connections.open
  ;(socket as unknown as { server: Server }).server.setSecureContext(issued(next, 'hub'))
  socket?.destroy()
  await until(() => server.connections.open.size === 0)
  await assert.rejects(get(transport), { sent: false, message: /not signed by a trusted authority/ })
  await writeFile(file('ca'), next.certificatePem)
  assert.equal(await get(transport), '200 nobody')
})

test('Rotation: a replaced kubeconfig leads to another server', async (t) => {
  const { clock, open, file, server } = await start(t, {})
  const other = await startHttps(t, issued(authority, 'hub'), (_, response) => response.end('other'))
  const path = file('kubeconfig')
  const write = ({ port }: { port: number }) => {
    const authorityData = Buffer.from(authority.certificatePem).toString('base64')
    const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': authorityData }
    return writeFile(path, JSON.stringify(plain('x', cluster, { token: 't' })))
  }
  const transport = open(kubeconfigSource({ path }))
  await assert.rejects(get(transport), { message: `${path}: the file does not exist` })
  await write(server)
  assert.equal(await get(transport), '200 nobody Bearer t')
  await writeFile(path, 'half: [')
  clock.advance(1_000)
  assert.equal(await get(transport), '200 nobody Bearer t')
  await write(other)
  clock.advance(1_000)
  assert.equal(await get(transport), '200 other')
})

const PROGRAM = 'process.stdout.write(require("node:fs").readFileSync(process.argv[1]))'
const V1 = 'client.authentication.k8s.io/v1'
const credential = (status: object) => JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status })

test('Rotation: runs the exec plugin again when its credentials are rejected or expire', async (t) => {
  const { clock, open, file, refused, server } = await start(t, { out: credential({ token: 'one' }) })
  const exec = {
    apiVersion: V1,
    command: process.execPath,
    args: ['-e', PROGRAM, file('out')],
    interactiveMode: 'Never',
  } as const
  const transport = open({ exec })
  assert.deepEqual(await Promise.all([get(transport), get(transport)]), Array(2).fill('200 nobody Bearer one'))
  refused.add('nobody Bearer one')
  assert.equal(await get(transport), '401 nobody Bearer one')
  clock.advance(1_000)
  const expirationTimestamp = new Date(clock.now().getTime() + 60_000).toISOString()
  await writeFile(file('out'), credential({ token: 'two', expirationTimestamp }))
  assert.equal(await get(transport), '200 nobody Bearer two')
  const certificate = { clientCertificateData: first.cert, clientKeyData: first.key }
  await writeFile(file('out'), credential(certificate))
  clock.advance(60_000)
  assert.equal(await get(transport), '200 first')
  await until(() => server.connections.open.size === 1)
})

test('Rotation: a failing exec plugin fails the request, until it works', async (t) => {
  const { open, file } = await start(t, { out: 'nothing' })
  const exec = {
    apiVersion: V1,
    command: process.execPath,
    args: ['-e', PROGRAM, file('out')],
    interactiveMode: 'Never',
  } as const
  const transport = open({ exec, origin: '/k: user "x"' })
  await assert.rejects(get(transport), { message: /^\/k: user "x": exec: .* it did not print JSON$/ })
  await writeFile(file('out'), credential({ token: 'one' }))
  assert.equal(await get(transport), '200 nobody Bearer one')
})

test('Rotation: other credentials take precedence over the exec plugin', async (t) => {
  const { open } = await start(t, {})
  const exec = { apiVersion: V1, command: '/no/such/command', interactiveMode: 'Never' } as const
  assert.equal(await get(open({ exec, token: 't' })), '200 nobody Bearer t')
  const pair = { clientCertificate: { text: first.cert }, clientKey: { text: first.key } }
  assert.equal(await get(open({ exec, ...pair })), '200 first')
})

test('Rotation: reads a changed file even if the clock was set back', async (t) => {
  const { clock, open, file } = await start(t, { token: 'one' })
  const transport = open({ tokenFile: file('token') })
  assert.equal(await get(transport), '200 nobody Bearer one')
  clock.adjust(-3_600_000)
  await writeFile(file('token'), 'second')
  assert.equal(await get(transport), '200 nobody Bearer second')
})

test('Rotation: runs no exec plugin if it is closed meanwhile', async (t) => {
  const { file } = await start(t, {})
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let reading = false
  const program = 'require("node:fs").writeFileSync(process.argv[1], "")'
  const exec = { apiVersion: V1, command: process.execPath, args: ['-e', program, file('ran')] } as const
  const transport = connect(
    {
      files: [],
      async read() {
        reading = true
        await held
        return { server: 'https://127.0.0.1:1', exec: { ...exec, interactiveMode: 'Never' } }
      },
    },
    { retry: false, environment: {} },
  )
  const refused = assert.rejects(get(transport), { code: 'ECLOSED' })
  await until(() => reading)
  transport.close?.()
  release()
  await refused
  assert.equal(existsSync(file('ran')), false)
})
