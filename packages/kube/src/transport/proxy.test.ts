import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { testAuthority } from '../testing/certificates.js'
import { connect } from './connect.js'
import { proxyFor } from './proxy.js'
import { get, issued, startHttp, startHttps, startTcp, until } from './server.fixture.js'

const proxy = (server: string, environment: Record<string, string>, explicit?: string) =>
  proxyFor(new URL(server), explicit, environment).then((url) => url?.host)

test('proxyFor: reads the environment', async () => {
  const both = { HTTPS_PROXY: 'http://secure:1', http_proxy: 'plain:2' }
  assert.equal(await proxy('https://a', both), 'secure:1')
  assert.equal(await proxy('http://a', both), 'plain:2')
  assert.equal(await proxy('https://a', {}), undefined)
  assert.equal(await proxy('https://a', { ALL_PROXY: 'x' }), undefined)
  assert.equal(await proxy('https://a', { ...both, NO_PROXY: '*' }, 'socks5://own:3'), 'own:3')
  for (const here of ['https://localhost', 'https://127.0.0.5:6443', 'https://[::1]']) {
    assert.equal(await proxy(here, both), undefined, here)
  }
  await assert.rejects(proxy('https://a', { HTTPS_PROXY: 'ftp://u:hush@p' }), (error: Error) => {
    assert.ok(error.message.startsWith('HTTPS_PROXY must be a URL') && !error.message.includes('hush'))
    return true
  })
})

const exempt: readonly [server: string, list: string, isExempt: boolean][] = [
  ['https://a.example.com', 'example.com', true],
  ['https://example.com', 'example.com', true],
  ['https://badexample.com', 'example.com', false],
  ['https://a.example.com', '.example.com', true],
  ['https://example.com', '.example.com', false],
  ['https://a.example.com', '*.example.com', true],
  ['https://a.b', 'x, A.B ,y', true],
  ['https://a.b:6443', 'a.b:6443', true],
  ['https://a.b:443', 'a.b:6443', false],
  ['https://a.b', '*', true],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://10.1.2.3', '10.0.0.0/99', false],
  ['https://10.1.2.3', 'fd00::/8', false],
  ['https://[fd00::5]', 'fd00::/8', true],
  ['https://[fd00::5]:6443', '[fd00::5]:6443', true],
  ['https://[fd00::5]', 'fd00::5', true],
  ['https://a.b', '', false],
]

for (const [server, list, isExempt] of exempt) {
  test(`proxyFor: NO_PROXY=${list} ${isExempt ? 'covers' : 'does not cover'} ${server}`, async () => {
    const found = await proxy(server, { HTTPS_PROXY: 'p:1', no_proxy: list })
    assert.equal(found, isExempt ? undefined : 'p:1')
  })
}

const authority = testAuthority('proxy-test', new Date())
const AUTHORITY = { text: authority.certificatePem }

/** A server that is trusted only under its own name, so that requests have to go through the proxy. */
const startTarget = (t: TestContext) =>
  startHttps(t, issued(authority, 'hub.internal'), (request, response) => {
    if (request.url?.includes('watch')) response.write('begun')
    else response.end(`hub ${request.url}`)
  })

interface ProxyOptions {
  /** The required proxy credentials. */
  readonly authorization?: string
  readonly server?: Server
}

/** Responds to CONNECT by connecting to a port on this machine, whatever the name. */
async function startConnectProxy(t: TestContext, port: number, options: ProxyOptions = {}) {
  const asked: string[] = []
  const { authorization, server = createServer() } = options
  server.on('connect', (request, socket: Socket) => {
    asked.push(String(request.url))
    socket.on('error', () => undefined)
    if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const target = connectTcp(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\nvia: proxy\r\n\r\n'))
    target.on('error', () => socket.destroy())
    socket.pipe(target).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, asked }
}

test('connect: uses an HTTP proxy with a password', async (t) => {
  const target = await startTarget(t)
  const password = Buffer.from('me:p@ss').toString('base64')
  const { port, asked } = await startConnectProxy(t, target.port, { authorization: `Basic ${password}` })
  const config = { server: 'https://hub.internal:6443', certificateAuthority: AUTHORITY }
  const transport = connect({ ...config, proxyUrl: `http://me:p%40ss@127.0.0.1:${port}` }, { retry: false })
  assert.equal(await get(transport, '/api'), '200 hub /api')
  assert.deepEqual(asked, ['hub.internal:6443'])
  transport.close?.()
  const refused = connect({ ...config, proxyUrl: `http://127.0.0.1:${port}` }, { retry: false })
  await assert.rejects(get(refused), {
    code: 'EPROXY',
    sent: false,
    message: /the proxy responded with 407 .* user name and password/,
  })
  const fromEnvironment = connect(config, { retry: false, environment: { HTTPS_PROXY: `me:p%40ss@127.0.0.1:${port}` } })
  assert.equal(await get(fromEnvironment, '/'), '200 hub /')
  fromEnvironment.close?.()
})

test('connect: uses an HTTPS proxy', async (t) => {
  const target = await startTarget(t)
  const { port, asked } = await startConnectProxy(t, target.port, {
    server: createHttpsServer(issued(authority, 'proxy')),
  })
  const config = { server: 'https://hub.internal:6443', proxyUrl: `https://127.0.0.1:${port}` }
  const transport = connect({ ...config, certificateAuthority: AUTHORITY }, { retry: false })
  assert.equal(await get(transport, '/api'), '200 hub /api')
  assert.deepEqual(asked, ['hub.internal:6443'])
  const { body } = await transport.request({ method: 'GET', path: '/?watch=true' })
  for (const socket of target.connections.open) socket.destroy()
  await assert.rejects(
    async () => {
      for await (const _ of body);
    },
    { name: 'ConnectionError' },
  )
  const untrusting = connect(config, { retry: false })
  await assert.rejects(get(untrusting), {
    message: /through 127\.0\.0\.1:\d+: the certificate of the server is not signed/,
  })
  transport.close?.()
})

test('connect: sends the absolute URL to the proxy of a plain server', async (t) => {
  const seen: (string | undefined)[] = []
  const server = await startHttp(t, (request, response) => {
    seen.push(request.url, request.headers.host, request.headers['proxy-authorization'])
    response.end('ok')
  })
  const config = { server: 'http://hub.internal/prefix', proxyUrl: `http://u:p@127.0.0.1:${server.port}` }
  const transport = connect(config, { retry: false })
  assert.equal(await get(transport, '/api'), '200 ok')
  assert.deepEqual(seen, ['http://hub.internal/prefix/api', 'hub.internal', 'Basic dTpw'])
  transport.close?.()
})

/** A minimal SOCKS 5 proxy that records its requests. */
async function startSocks(t: TestContext, port: number, password?: string) {
  const asked: string[] = []
  const server = await startTcp(t, (socket) => {
    let stage = 0
    socket.on('data', (bytes) => {
      if (stage === 0) {
        stage = password === undefined ? 2 : 1
        socket.write(Buffer.from([5, password === undefined ? 0 : 2]))
      } else if (stage === 1) {
        stage = 2
        socket.write(Buffer.from([1, bytes.includes(password as string) ? 0 : 1]))
      } else {
        asked.push(bytes.subarray(3).toString('latin1'))
        socket.removeAllListeners('data')
        const target = connectTcp(port, '127.0.0.1', () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
        socket.pipe(target).pipe(socket)
      }
    })
  })
  return { port: server.port, asked }
}

test('connect: uses a SOCKS proxy, which resolves the name', async (t) => {
  const target = await startTarget(t)
  const { port, asked } = await startSocks(t, target.port)
  const config = { server: 'https://hub.internal:6443', certificateAuthority: AUTHORITY }
  const transport = connect({ ...config, proxyUrl: `socks5://127.0.0.1:${port}` }, { retry: false })
  assert.equal(await get(transport), '200 hub /')
  assert.deepEqual(asked, ['\x03\x0chub.internal\x19\x2b'])
  transport.close?.()
})

test('connect: uses a SOCKS proxy with a password, and IPv4 and IPv6 addresses', async (t) => {
  const plain = await startHttp(t, (_, response) => response.end('plain'))
  const { port, asked } = await startSocks(t, plain.port, 'hush')
  for (const server of ['http://10.1.2.3:80', 'http://[fd00::1]:81']) {
    const transport = connect({ server, proxyUrl: `socks5://me:hush@127.0.0.1:${port}` }, { retry: false })
    assert.equal(await get(transport), '200 plain')
    transport.close?.()
  }
  assert.deepEqual(asked, ['\x01\x0a\x01\x02\x03\x00\x50', `\x04\xfd${'\0'.repeat(14)}\x01\x00\x51`])
  const wrong = connect({ server: 'http://a', proxyUrl: `socks5://me:wrong@127.0.0.1:${port}` }, { retry: false })
  await assert.rejects(get(wrong), { code: 'EPROXY', message: /the user name or password is wrong$/ })
  const none = connect({ server: 'http://a', proxyUrl: `socks5://127.0.0.1:${port}` }, { retry: false })
  await assert.rejects(get(none), { code: 'EPROXY', message: /it requires a user name and password/ })
})

test('connect: distinguishes an unreachable proxy from an unreachable server', async () => {
  const transport = connect({ server: 'https://hub', proxyUrl: 'http://127.0.0.1:1' }, { retry: false })
  await assert.rejects(get(transport), { code: 'ECONNREFUSED', message: /through 127\.0\.0\.1:1: connection refused/ })
})

test('connect: closes the connection to a proxy with an invalid response or a wrong password', async (t) => {
  const proxy = await startTcp(t, (socket) => socket.on('data', () => socket.write('nonsense\r\n\r\n')))
  for (const [proxyUrl, why] of [
    [`http://127.0.0.1:${proxy.port}`, /does not begin with an HTTP/],
    [`socks5://%zz:b@127.0.0.1:${proxy.port}`, /URI malformed/],
  ] as const) {
    const transport = connect({ server: 'https://hub.internal', proxyUrl }, { retry: false })
    await assert.rejects(get(transport), { name: 'ConnectionError', message: why })
  }
  await until(() => proxy.connections.count === 2 && proxy.connections.open.size === 0)
})
