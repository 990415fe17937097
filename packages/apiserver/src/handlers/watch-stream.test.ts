import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import type { ApiServer } from '../server/api-server.js'
import type { ApiServerOptions } from '../server/options.js'
import { testServer } from '../testing/test-server.fixture.js'

const MAPS = '/api/v1/namespaces/default/configmaps'
const WATCH = `${MAPS}?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt`
const TOKEN = 'base64url.bearer.authorization.k8s.io.'

const USERS = new Map([
  ['admin-token', { username: 'admin', uid: '', groups: ['system:masters'], extra: {} }],
  ['user-token', { username: 'user', uid: '', groups: [], extra: {} }],
])

async function serve(t: TestContext, options: ApiServerOptions = {}) {
  return testServer(t, { host: '127.0.0.1', tokenAuthenticators: [(token) => USERS.get(token)], ...options })
}

/** A WebSocket client that records messages and the close. */
class Watch {
  readonly webSocket: WebSocket
  readonly messages: [string, boolean][] = []
  readonly ended: Promise<number>
  readonly refused: Promise<number>

  constructor(t: TestContext, server: ApiServer, path: string, protocols: string[], headers: Record<string, string>) {
    const webSocket = new WebSocket(server.url.replace('https', 'wss') + path, protocols, {
      ca: server.certificateAuthority,
      headers,
    })
    t.after(() => webSocket.terminate())
    this.webSocket = webSocket
    webSocket.on('error', () => undefined)
    webSocket.on('message', (data: Buffer, isBinary) => this.messages.push([data.toString('latin1'), isBinary]))
    this.ended = new Promise((resolve) => webSocket.once('close', resolve))
    this.refused = new Promise((resolve) => {
      webSocket.once('unexpected-response', (_, response: IncomingMessage) => resolve(response.statusCode ?? 0))
    })
  }

  /** Returns the events once there are this many. */
  async events(
    count: number,
  ): Promise<{ type: string; object: { kind: string; metadata: { name: string }; code: number } }[]> {
    while (this.messages.length < count) await once(this.webSocket, 'message')
    return this.messages.map(([text]) => JSON.parse(text))
  }
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const subprotocol = (token: string) => TOKEN + Buffer.from(token).toString('base64url')

test('watch over WebSocket: sends each event as a text message with a newline, as kube-apiserver does', async (t) => {
  const { server, client } = await serve(t)
  await client.create(MAPS, { metadata: { name: 'first' } })
  const watch = new Watch(t, server, WATCH, [], bearer('admin-token'))
  await watch.events(1)
  await client.create(MAPS, { metadata: { name: 'second' } })
  await client.delete(`${MAPS}/first`)
  const events = await watch.events(3)
  assert.deepEqual(
    events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED first', 'ADDED second', 'DELETED first'],
  )
  for (const [text, isBinary] of watch.messages)
    assert.deepEqual([text.indexOf('\n'), isBinary], [text.length - 1, false])
})

test('watch over WebSocket: takes a token as subprotocol and echoes the other one', async (t) => {
  const { server, client } = await serve(t)
  await client.create(MAPS, { metadata: { name: 'first' } })
  const watch = new Watch(t, server, WATCH, [subprotocol('admin-token'), 'base64.binary.k8s.io'], {})
  const [event] = await watch.events(1)
  assert.equal(event?.object.metadata.name, 'first')
  assert.equal(watch.webSocket.protocol, 'base64.binary.k8s.io')
})

test('watch over WebSocket: authenticates and authorizes like other requests', async (t) => {
  const { server } = await serve(t)
  const refusals: [number, string[], Record<string, string>][] = [
    [403, [], {}],
    [401, [], bearer('wrong')],
    [401, [subprotocol('wrong'), 'base64.binary.k8s.io'], {}],
    [401, [subprotocol('admin-token')], {}],
    [403, [subprotocol('user-token'), 'base64.binary.k8s.io'], {}],
  ]
  for (const [code, protocols, headers] of refusals) {
    assert.equal(await new Watch(t, server, WATCH, protocols, headers).refused, code)
  }
})

test('watch over WebSocket: closes with 1000 after its timeout, and sends an ERROR event if it is too old', async (t) => {
  const { server, client } = await serve(t)
  assert.equal(await new Watch(t, server, `${WATCH}&timeoutSeconds=1`, [], bearer('admin-token')).ended, 1000)
  await client.create(MAPS, { metadata: { name: 'first' } })
  await server.compact()
  const old = new Watch(t, server, `${WATCH}&resourceVersion=1`, [], bearer('admin-token'))
  assert.equal(await old.ended, 1000)
  const [event] = await old.events(1)
  assert.deepEqual([event?.type, event?.object.code], ['ERROR', 410])
})

test('watch over WebSocket: sends protobuf events as binary messages without a length', async (t) => {
  const { server, client } = await serve(t)
  await client.create(MAPS, { metadata: { name: 'first' } })
  await client.create(MAPS, { metadata: { name: 'second' } })
  const accept = 'application/vnd.kubernetes.protobuf;stream=watch'
  const watch = new Watch(t, server, WATCH, [], { ...bearer('admin-token'), Accept: accept })
  while (watch.messages.length < 2) await once(watch.webSocket, 'message')
  for (const [index, [text, isBinary]] of watch.messages.entries()) {
    assert.equal(isBinary, true)
    const bytes = Buffer.from(text, 'latin1')
    // Field 1 of a WatchEvent is its type.
    assert.equal(bytes.subarray(0, 7).toString('latin1'), '\n\x05ADDED')
    assert.ok(bytes.includes(index === 0 ? 'first' : 'second'))
  }
})

test('watch over WebSocket: sends Tables', async (t) => {
  const { server, client } = await serve(t)
  await client.create(MAPS, { metadata: { name: 'first' } })
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const watch = new Watch(t, server, WATCH, [], { ...bearer('admin-token'), Accept: accept })
  const [event] = await watch.events(1)
  assert.equal(event?.object.kind, 'Table')
})

test('watch over WebSocket: ends when the permission is revoked', async (t) => {
  const { server, client } = await serve(t)
  const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'
  const apiGroup = 'rbac.authorization.k8s.io'
  await client.create(bindings, {
    metadata: { name: 'user' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup, kind: 'User', name: 'user' }],
  })
  await client.create(MAPS, { metadata: { name: 'first' } })
  const watch = new Watch(t, server, WATCH, [], bearer('user-token'))
  await watch.events(1)
  await client.delete(`${bindings}/user`)
  assert.equal(await watch.ended, 1006)
})

test('watch over WebSocket: audits the request with its 101, from start to end', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-audit-'))
  t.after(() => rm(directory, { recursive: true }))
  const file = join(directory, 'audit.log')
  const { server, client } = await serve(t, { audit: { file } })
  const watch = new Watch(t, server, WATCH, [subprotocol('admin-token'), 'x'], {})
  await once(watch.webSocket, 'open')
  watch.webSocket.close()
  assert.equal(await watch.ended, 1005)
  const stages = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.includes('"watch"') && line.includes('"admin"'))
      .map((line) => JSON.parse(line))
      .map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code}`)
  // The server sees the close after the client.
  let text = ''
  while (!stages(text).includes('ResponseComplete 101')) {
    await client.get(MAPS)
    const written = await readFile(file, 'utf8')
    text = written.slice(0, written.lastIndexOf('\n') + 1)
  }
  assert.equal(stages(text).at(-2), 'ResponseStarted 101')
  assert.ok(!text.includes(TOKEN) && !text.includes('admin-token'))
})

test('webSocket: answers a request that is not for a stream normally', async (t) => {
  const { server } = await serve(t)
  for (const [path, code] of [
    [MAPS, 200],
    [`${MAPS}/missing`, 404],
    ['/version', 200],
    ['/nothing', 404],
  ] as const) {
    assert.equal(await new Watch(t, server, path, ['x'], bearer('admin-token')).refused, code)
  }
})
