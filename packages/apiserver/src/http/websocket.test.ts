import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { StatusError } from '@orrery/kinds/values'
import { WebSocket } from 'ws'
import { listenFor } from '../testing/listening.fixture.js'
import type { Exchange } from './exchange.js'
import type { WebSocketOptions, WebSocketStream } from './websocket.js'

const OPTIONS: WebSocketOptions = { protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io', ''], maxMessageBytes: 1000 }

async function serve(t: TestContext, handle: (exchange: Exchange) => void): Promise<number> {
  const listener = await listenFor(t, {
    handle,
  })
  return listener.port
}

/** Opens a port that accepts WebSocket requests and answers others. */
async function serveWebSockets(
  t: TestContext,
  use: (stream: WebSocketStream, exchange: Exchange) => void,
  options = OPTIONS,
): Promise<number> {
  return serve(t, (exchange) => {
    exchange.extraHeaders['Audit-Id'] = 'an-id'
    try {
      const stream = exchange.webSocket(options)
      if (stream === undefined) exchange.reply(200, {}, Buffer.from(exchange.url))
      else use(stream, exchange)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      exchange.reply(error.code, {}, Buffer.from(error.message))
    }
  })
}

function client(t: TestContext, port: number, protocols: string[] = []): WebSocket {
  const webSocket = new WebSocket(`wss://127.0.0.1:${port}/`, protocols, { rejectUnauthorized: false })
  t.after(() => webSocket.terminate())
  webSocket.on('error', () => undefined)
  return webSocket
}

/** Opens a raw connection. The received text is the value of `text`. */
function raw(
  t: TestContext,
  port: number,
): { socket: TLSSocket; text: () => string; until: (part: string) => Promise<void> } {
  const socket = connect({ port, rejectUnauthorized: false })
  t.after(() => socket.destroy())
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  return {
    socket,
    text: () => text,
    async until(part) {
      while (!text.includes(part)) await Promise.race([once(socket, 'data'), once(socket, 'close')])
    },
  }
}

const HANDSHAKE = [
  'Connection: keep-alive, Upgrade',
  'Upgrade: WebSocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]
const request = (lines: string[], url = '/') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`

test('webSocket: selects the first offered subprotocol that the server accepts', async (t) => {
  const port = await serveWebSockets(t, (stream) => stream.send(Buffer.from(stream.protocol), 'text'))
  const cases: [string[], string][] = [
    [['v9.channel.k8s.io', 'v4.channel.k8s.io', 'v5.channel.k8s.io'], 'v4.channel.k8s.io'],
    [['base64url.bearer.authorization.k8s.io.dG9rZW4', 'v5.channel.k8s.io'], 'v5.channel.k8s.io'],
    [[], ''],
  ]
  for (const [offered, chosen] of cases) {
    const webSocket = client(t, port, offered)
    const upgraded = once(webSocket, 'upgrade')
    const [data, isBinary] = (await once(webSocket, 'message')) as [Buffer, boolean]
    const [response] = (await upgraded) as [{ headers: Record<string, string> }]
    assert.deepEqual([webSocket.protocol, data.toString(), isBinary], [chosen, chosen, false])
    assert.equal(response.headers['audit-id'], 'an-id')
  }
})

test('webSocket: answers an invalid handshake with an error status', async (t) => {
  const port = await serveWebSockets(t, (stream) => stream.destroy())
  const cases: [string, string[]][] = [
    ['403 Forbidden', [...HANDSHAKE, 'Sec-WebSocket-Protocol: v9.channel.k8s.io']],
    ['400 Bad Request', HANDSHAKE.filter((line) => !line.includes('Key'))],
    ['400 Bad Request', HANDSHAKE.map((line) => line.replace('13', '8'))],
  ]
  for (const [status, lines] of cases) {
    const { socket, text } = raw(t, port)
    socket.write(request(lines))
    await once(socket, 'close')
    assert.match(text(), new RegExp(`^HTTP/1.1 ${status}\r\n`))
  }
})

test('webSocket: passes messages and close codes in both directions', async (t) => {
  let close: (how: [number, string]) => void = () => assert.fail('no caller waits yet')
  const closed = new Promise<[number, string]>((resolve) => {
    close = resolve
  })
  const port = await serveWebSockets(t, (stream) => {
    stream.onMessage((data, frame) => stream.send(Buffer.concat([Buffer.from(`${frame} `), data]), 'binary'))
    stream.onClose((code, reason) => close([code, reason]))
  })
  const webSocket = client(t, port)
  await once(webSocket, 'open')
  webSocket.send('a')
  const [first, isBinary] = (await once(webSocket, 'message')) as [Buffer, boolean]
  assert.deepEqual([first.toString(), isBinary], ['text a', true])
  webSocket.ping('beat')
  const [beat] = (await once(webSocket, 'pong')) as [Buffer]
  assert.equal(beat.toString(), 'beat')
  webSocket.close(4000, 'enough')
  assert.deepEqual(await closed, [4000, 'enough'])
})

test('webSocket: closes with 1009 after a message beyond the limit', async (t) => {
  const port = await serveWebSockets(t, () => undefined)
  const webSocket = client(t, port)
  await once(webSocket, 'open')
  webSocket.send('x'.repeat(1001))
  const [code] = (await once(webSocket, 'close')) as [number]
  assert.equal(code, 1009)
})

test('webSocket: reports backpressure and drain', async (t) => {
  const piece = Buffer.alloc(64 * 1024)
  let sent = 0
  let drain: () => void = () => assert.fail('no caller waits yet')
  const drained = new Promise<void>((resolve) => {
    drain = resolve
  })
  const port = await serveWebSockets(t, (stream) => {
    stream.onDrain(drain)
    do sent++
    while (stream.send(piece, 'binary'))
  })
  const webSocket = client(t, port)
  let received = 0
  webSocket.on('message', () => received++)
  await drained
  while (received < sent) await once(webSocket, 'message')
  assert.ok(sent < 1000)
})

test('webSocket: stops answering a client that sends pings and does not read', async (t) => {
  let read: () => void = () => assert.fail('no caller waits yet')
  const allRead = new Promise<void>((resolve) => {
    read = resolve
  })
  const port = await serveWebSockets(t, (stream) => {
    stream.onMessage(() => {
      read()
      stream.close()
    })
  })
  const { socket, until } = raw(t, port)
  socket.write(request(HANDSHAKE))
  await until('\r\n\r\n')
  socket.removeAllListeners('data').pause()
  const payload = Buffer.alloc(125)
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | payload.length, 0, 0, 0, 0]), payload])
  const thousand = Buffer.concat(Array.from({ length: 1000 }, () => ping))
  // Far more than the buffers of the system hold.
  for (let sent = 0; sent < 400; sent++) {
    if (!socket.write(thousand)) await once(socket, 'drain')
  }
  const emptyMessage = Buffer.from([0x81, 0x80, 0, 0, 0, 0])
  const closeFrame = Buffer.from([0x88, 0x80, 0, 0, 0, 0])
  socket.write(Buffer.concat([emptyMessage, closeFrame]))
  await allRead
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await once(socket, 'close')
  assert.ok(bytes < 200 * thousand.length, `${bytes} bytes of pongs`)
})

test('webSocket: answers requests without an upgrade, or for another protocol, normally', async (t) => {
  const port = await serveWebSockets(t, (stream) => stream.destroy())
  for (const lines of [
    ['Connection: close'],
    ['Connection: Upgrade', 'Upgrade: h2c'],
    ['Upgrade: websocket', 'Connection: close'],
  ]) {
    const { socket, text } = raw(t, port)
    socket.write(request(lines, '/plain'))
    await once(socket, 'close')
    assert.match(text(), /^HTTP\/1.1 200 OK\r\n/)
    assert.match(text(), /\/plain$/)
  }
})

test('webSocket: opens on a connection that has served ordinary requests', async (t) => {
  const port = await serveWebSockets(t, (stream) => stream.send(Buffer.from('hello'), 'text'))
  const { socket, text, until } = raw(t, port)
  socket.write(request(['Accept: x'], '/first'))
  await until('/first')
  socket.write(request(HANDSHAKE))
  await until('hello')
  assert.match(text(), /HTTP\/1.1 101 Switching Protocols\r\n/)
})

test('webSocket: closes only the connection with an upgrade behind an unanswered request', async (t) => {
  const waiting: Exchange[] = []
  const port = await serve(t, (exchange) => {
    if (exchange.url === '/held') waiting.push(exchange)
    else exchange.reply(200, {}, Buffer.from('ok'))
  })
  const { socket, text } = raw(t, port)
  socket.write(request(['TE: trailers'], '/held') + request(HANDSHAKE))
  await once(socket, 'close')
  assert.equal(text(), '')
  assert.equal(waiting.length, 1)
  const other = raw(t, port)
  other.socket.write(request([], '/other'))
  await other.until('ok')
})
