import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { ClientConfig } from '../kubeconfig/client-config.js'
import { testAuthority } from '../testing/certificates.js'
import { connect } from './connect.js'
import { get, issued, peerName, startHttp, startHttps } from './server.fixture.js'

const authority = testAuthority('tls-test', new Date())
const trusted = { text: authority.certificatePem }
const other = testAuthority('other', new Date())

/** Responds with the identity and the credentials of each client. */
const start = (t: TestContext) =>
  startHttps(
    t,
    {
      ...issued(authority, 'hub.internal'),
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => response.end(`${peerName(request.socket)} ${request.headers.authorization ?? ''}`.trim()),
  )

async function ask(config: ClientConfig): Promise<string> {
  const transport = connect(config, { retry: false, environment: {} })
  try {
    return await get(transport)
  } finally {
    transport.close?.()
  }
}

const pem = ({ cert, key }: { cert: string; key: string }) => ({
  clientCertificate: { text: cert },
  clientKey: { text: key },
})

test('connect: authenticates with each kind of credentials', async (t) => {
  const { port } = await start(t)
  const config = { server: `https://127.0.0.1:${port}`, certificateAuthority: trusted }
  assert.equal(await ask(config), '200 nobody')
  assert.equal(await ask({ ...config, ...pem(issued(authority, 'jane')) }), '200 jane')
  assert.equal(await ask({ ...config, token: 't' }), '200 nobody Bearer t')
  assert.equal(await ask({ ...config, username: 'me', password: 'p' }), '200 nobody Basic bWU6cA==')
  assert.equal(await ask({ ...config, ...pem(issued(authority, 'jane')), token: 't' }), '200 jane Bearer t')
})

test('connect: reads a client key in SEC 1 and in PKCS #8 form', async (t) => {
  const { port } = await start(t)
  const config = { server: `https://127.0.0.1:${port}`, certificateAuthority: trusted }
  const { cert, key } = issued(authority, 'jane')
  for (const type of ['sec1', 'pkcs8'] as const) {
    const text = createPrivateKey(key).export({ type, format: 'pem' }) as string
    assert.equal(await ask({ ...config, ...pem({ cert, key: text }) }), '200 jane')
  }
})

test('connect: trusts a server only for its name and address', async (t) => {
  const { port } = await start(t)
  const config = { server: `https://127.0.0.1:${port}`, certificateAuthority: trusted }
  assert.equal(await ask({ ...config, server: `https://localhost:${port}` }), '200 nobody')
  assert.equal(await ask({ ...config, tlsServerName: 'hub.internal' }), '200 nobody')
  assert.equal(await ask({ ...config, server: `https://localhost:${port}`, tlsServerName: '127.0.0.1' }), '200 nobody')
  await assert.rejects(ask({ ...config, tlsServerName: 'other.internal' }), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    sent: false,
  })
  await assert.rejects(ask({ ...config, tlsServerName: '127.0.0.2' }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
})

test('connect: sends nothing to an untrusted server', async (t) => {
  const { port, connections } = await start(t)
  const config = { server: `https://127.0.0.1:${port}`, token: 'hush' }
  const message = `GET /: 127.0.0.1:${port}: the certificate of the server is not signed by a trusted authority`
  await assert.rejects(ask({ ...config, certificateAuthority: { text: other.certificatePem } }), {
    sent: false,
    message,
  })
  await assert.rejects(ask(config), { sent: false, message })
  assert.equal(connections.count, 0)
  assert.equal(await ask({ ...config, insecureSkipTlsVerify: true }), '200 nobody Bearer hush')
})

test('connect: trusts a server by its own certificate', async (t) => {
  const leaf = issued(authority, 'hub.internal')
  const { port } = await startHttps(t, leaf, (_request, response) => response.end('here'))
  const config = { server: `https://127.0.0.1:${port}` }
  assert.equal(await ask({ ...config, certificateAuthority: { text: leaf.cert } }), '200 here')
  const others = issued(authority, 'hub.internal')
  await assert.rejects(
    ask({ ...config, certificateAuthority: { text: others.cert } }),
    /not signed by a trusted authority/,
  )
})

test('connect: does not send secrets over plain HTTP', async (t) => {
  const { port } = await startHttp(t, (request, response) => response.end(String(request.headers.authorization)))
  assert.equal(await ask({ server: `http://127.0.0.1:${port}`, token: 'hush', username: 'me' }), '200 undefined')
})

test('connect: names invalid credentials without quoting them', async () => {
  const jane = issued(authority, 'jane')
  const config = { server: 'https://127.0.0.1:1', origin: '/k: user "x"' }
  const key = { text: issued(authority, 'joe').key }
  await assert.rejects(ask({ ...config, clientCertificate: { text: jane.cert }, clientKey: key }), {
    message: '/k: user "x": client-key does not match client-certificate',
  })
  await assert.rejects(ask({ ...config, certificateAuthority: { text: 'hush' } }), {
    message: '/k: user "x": certificate-authority-data has no CERTIFICATE in PEM',
  })
  await assert.rejects(ask({ ...config, ...pem(jane), clientKey: { file: '/no/such.key' } }), {
    message: '/k: user "x": client-key /no/such.key cannot be read (ENOENT)',
  })
  await assert.rejects(ask({ ...config, tokenFile: '/no/such/token' }), {
    message: '/k: user "x": tokenFile /no/such/token cannot be read (ENOENT)',
  })
  await assert.rejects(ask({ ...config, token: 'hush\nhush' }), (error: Error) => {
    assert.ok(error.message.startsWith('/k: user "x": token is not a token') && !error.message.includes('hush'))
    return true
  })
  const broken = '-----BEGIN PRIVATE KEY-----\naHVzaA==\n-----END PRIVATE KEY-----\n'
  await assert.rejects(ask({ ...config, ...pem(jane), clientKey: { text: broken } }), (error: Error) => {
    assert.match(error.message, /^\/k: user "x": the certificate or key cannot be used \(\w+\)$/)
    return true
  })
})
