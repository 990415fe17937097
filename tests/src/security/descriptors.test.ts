import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { eventually } from '@orrery/kube/testing'
import { Client } from '../support/client.js'
import { type ServerProcess, startServer } from '../support/server.js'

const DESCRIPTORS = 128
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const ACCOUNT_TOKEN = '/api/v1/namespaces/default/serviceaccounts/default/token'

function clientOf(t: TestContext, server: ServerProcess, connections = 1): Client {
  const client = new Client(server, connections)
  t.after(() => client.close())
  return client
}

/** Connections that send nothing, more than the server has descriptors. */
async function silentConnections(t: TestContext, server: ServerProcess, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' })
    t.after(() => socket.destroy())
    socket.on('error', () => undefined).resume()
    await once(socket, 'connect')
    sockets.push(socket)
  }
  return sockets
}

test('descriptors: clients without credentials do not lock out authenticated ones', async (t) => {
  const server = await startServer(t, { descriptors: DESCRIPTORS })
  const connected = clientOf(t, server)
  await connected.ok('POST', CONFIG_MAPS, { metadata: { name: 'before' } })
  await silentConnections(t, server, 3 * DESCRIPTORS)
  await connected.ok('POST', CONFIG_MAPS, { metadata: { name: 'during' } })
  const late = clientOf(t, server)
  await late.ok('POST', CONFIG_MAPS, { metadata: { name: 'late' } })
  assert.equal(
    (await connected.list(CONFIG_MAPS)).items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt').length,
    3,
  )
})

/** A connection of the administrator on which a request was answered. */
async function authenticatedConnection(server: ServerProcess): Promise<TLSSocket> {
  const socket = connectTls({ port: Number(new URL(server.url).port), host: '127.0.0.1', ...server.credentials })
  socket.on('error', () => undefined)
  socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n')
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  return socket
}

/** Reads discovery as a service account, on a connection that stays open. */
function asAccount(server: ServerProcess, token: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request(new URL('/api', server.url), { agent, ca: server.credentials.ca, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })
}

test('descriptors: exhaustion does not affect connected clients, and is temporary', async (t) => {
  const server = await startServer(t, { descriptors: DESCRIPTORS })
  const admin = clientOf(t, server)
  const review = await admin.ok('POST', ACCOUNT_TOKEN, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })
  const { token } = review.status as { token: string }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  assert.equal(await asAccount(server, token, agent), 200)
  const greedy: TLSSocket[] = []
  t.after(() => {
    for (const socket of greedy) socket.destroy()
  })
  for (let index = 0; index < 2 * DESCRIPTORS; index++) greedy.push(await authenticatedConnection(server))
  const bystander = [...Object.values(agent.freeSockets)].flat()[0]
  assert.equal(await asAccount(server, token, agent), 200)
  assert.equal([...Object.values(agent.freeSockets)].flat()[0], bystander, 'the connection was kept')
  // A connection that is still open serves writes as well.
  const open = greedy.findLast((socket) => !socket.destroyed)
  assert.ok(open)
  const body = JSON.stringify({ metadata: { name: 'written' } })
  open.write(
    `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const [answer] = (await once(open, 'data')) as [Buffer]
  assert.match(answer.toString('latin1'), /^HTTP\/1\.1 201 /)
  for (const socket of greedy) socket.destroy()
  await eventually('new connections are served again', async () => {
    const fresh = clientOf(t, server)
    return fresh.send('GET', `${CONFIG_MAPS}/written`).then(
      ({ status }) => status === 200,
      () => false,
    )
  })
})
