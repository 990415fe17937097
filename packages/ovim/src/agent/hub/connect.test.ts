import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { silentLogger } from '@orrery/kube/log'
import { createAuthority, DistinguishedName, generateKey, issueLeaf } from '@orrery/kube/pki'
import { selfSigned } from '@orrery/kube/serving'
import { eventually } from '@orrery/kube/testing'
import { DEFAULTS, type HubConfig } from '../config/config.js'
import { connectHub } from './connect.js'

const DAY_MS = 86_400_000
const [notBefore, notAfter] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)]
const clients = createAuthority('clients', generateKey().privateKey, notBefore, notAfter)

interface Seen {
  readonly authorization: string | undefined
  readonly user: string | undefined
}

/** A hub over TLS that asks for client certificates, and notes who calls it. */
async function hub(t: TestContext) {
  const { cert, key, ca } = selfSigned('hub', ['localhost'], new Date())
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const serve = ({ headers, socket }: IncomingMessage) => {
    const user = (socket as TLSSocket).authorized ? (socket as TLSSocket).getPeerCertificate().subject.CN : undefined
    seen.push({ authorization: headers.authorization, user: user as string | undefined })
  }
  const options = { cert, key, ca: clients.certificatePem, requestCert: true, rejectUnauthorized: false }
  const server = createServer(options, (request, response) => {
    serve(request)
    response.end('{}')
  })
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const directory = await mkdtemp(join(tmpdir(), 'ovim-hub-'))
  const write = async (name: string, text: string) => {
    await writeFile(join(directory, name), text)
    return join(directory, name)
  }
  const config: HubConfig = {
    ...DEFAULTS.hub,
    endpoint: `https://localhost:${(server.address() as AddressInfo).port}`,
    caPath: await write('ca.crt', ca),
  }
  const opened = (changes: Partial<HubConfig>) => {
    const transport = connectHub({ ...config, ...changes }, { log: silentLogger, userAgent: 'test' })
    t.after(() => transport.close?.())
    return async () => {
      const response = await transport.request({ method: 'GET', path: '/' })
      await response.bytes()
      return seen.at(-1) as Seen
    }
  }
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true })
  })
  return { opened, write, connections: () => sockets.size }
}

test('hub connection: verifies the hub, sends the token, and keeps the connection', async (t) => {
  const { opened, connections } = await hub(t)
  const request = opened({ token: 'secret' })
  assert.equal((await request()).authorization, 'Bearer secret')
  await request()
  assert.equal(connections(), 1)
  await assert.rejects(opened({ token: 'secret', caPath: '' })(), /certificate/)
  assert.equal((await opened({ token: 'secret', caPath: '', tlsInsecure: true })()).authorization, 'Bearer secret')
})

test('hub connection: reads the token again when its file changes', async (t) => {
  const { opened, write } = await hub(t)
  const request = opened({ tokenFile: await write('token', 'first\n') })
  assert.equal((await request()).authorization, 'Bearer first')
  await write('token', 'second\n')
  await eventually('the new token', async () => (await request()).authorization === 'Bearer second')
})

test('hub connection: authenticates with a client certificate', async (t) => {
  const { opened, write } = await hub(t)
  const { certificate, key } = issueLeaf(clients, {
    subject: DistinguishedName.of('agent-east', []),
    usages: ['digital signature', 'client auth'],
    notBefore,
    notAfter,
  } as never)
  const files = { certPath: await write('tls.crt', certificate), keyPath: await write('tls.key', key) }
  assert.deepEqual(await opened(files)(), { authorization: undefined, user: 'agent-east' })
})
