import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { type ClusterPki, openClusterPki } from '../pki/cluster-pki.js'
import type { WatchSink } from '../watch/types.js'
import type { Exchange } from './exchange.js'
import { type Listener, listen } from './listener.js'

let directory: string
let pki: ClusterPki

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ordinary-'))
  pki = await openClusterPki({ directory: join(directory, 'pki') })
})
after(async () => {
  await pki.close()
  await rm(directory, { recursive: true })
})

interface Served {
  readonly listener: Listener
  readonly open: () => Promise<Client>
}

/** Starts a server that echoes method, URL and body, and holds watches open. */
async function serve(
  t: TestContext,
  onStream: (sink: WatchSink) => void = () => undefined,
  headersTimeoutMilliseconds = 5000,
): Promise<Served> {
  const handle = async (exchange: Exchange) => {
    if (exchange.url === '/stream') onStream(exchange.stream(200, { 'Content-Type': 'text/plain' }))
    else if (exchange.url === '/long') {
      await exchange.replyChunks(
        200,
        {},
        Array.from({ length: 100 }, () => Buffer.alloc(10_000, 'x')),
      )
    } else {
      const reading = (async () => exchange.body(1000))()
      const body = await reading.catch((error: Error) => Buffer.from(error.message))
      exchange.extraHeaders.Warning = ['one', 'two']
      exchange.reply(
        200,
        { 'X-Kind': exchange.constructor.name },
        Buffer.from(`${exchange.method} ${exchange.url} ${body}`),
      )
    }
  }
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    key: pki.serving.key,
    cert: pki.serving.certificate,
    clientCa: pki.authority.certificatePem,
    handle: (exchange) => void handle(exchange),
    headersTimeoutMilliseconds,
  })
  t.after(() => listener.close(0))
  return { listener, open: () => Client.open(t, listener.port) }
}

/** A raw connection with functions to wait for bytes. */
class Client {
  readonly socket: TLSSocket
  received = ''
  #wake: () => void = () => undefined

  constructor(socket: TLSSocket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1')
      this.#wake()
    })
    socket.on('close', () => this.#wake())
    socket.on('error', () => undefined)
  }

  static async open(t: TestContext, port: number): Promise<Client> {
    const socket = connect({ host: '127.0.0.1', port, ca: pki.authority.certificatePem, ALPNProtocols: ['http/1.1'] })
    t.after(() => socket.destroy())
    await once(socket, 'secureConnect')
    socket.setNoDelay(true)
    return new Client(socket)
  }

  send(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** Waits until the received bytes match, and consumes them. */
  async take(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.received)
      if (match !== null) {
        this.received = this.received.slice(match.index + match[0].length)
        return match[0]
      }
      if (this.socket.closed) throw new Error(`closed after ${JSON.stringify(this.received)}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test('FastPathConnection: serves several requests on a connection', async (t) => {
  const client = await (await serve(t)).open()
  client.send(get('/a'))
  const reply = await client.take(/HTTP.*GET \/a $/s)
  assert.match(reply, /^HTTP\/1\.1 200 OK\r\nWarning: one\r\nWarning: two\r\nX-Kind: OrdinaryExchange\r\nDate: /)
  client.send(post('/b', 'body'))
  await client.take(/Content-Length: 12\r\n\r\nPOST \/b body$/)
})

test('FastPathConnection: answers pipelined requests in order', async (t) => {
  const client = await (await serve(t)).open()
  client.send(get('/1') + post('/2', 'x') + get('/3'))
  await client.take(/GET \/1 HTTP.*POST \/2 xHTTP.*GET \/3 $/s)
})

test('FastPathConnection: hands a request in several chunks to the complete parser', async (t) => {
  const client = await (await serve(t)).open()
  client.send(get('/1'))
  await client.take(/OrdinaryExchange.*GET \/1 $/s)
  const request = post('/2', 'body')
  for (const piece of [request.slice(0, 10), request.slice(10, -2)]) {
    client.send(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  client.send(request.slice(-2))
  await client.take(/Http1Exchange.*POST \/2 body$/s)
  client.send(get('/3'))
  await client.take(/Http1Exchange.*GET \/3 $/s)
})

test('FastPathConnection: hands a chunked body to the complete parser', async (t) => {
  const client = await (await serve(t)).open()
  client.send(`${get('/1')}POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)
  await client.take(/OrdinaryExchange.*GET \/1 HTTP.*Http1Exchange.*POST \/2 abc$/s)
})

test('FastPathConnection: refuses two Content-Length headers and serves nothing after them', async (t) => {
  const client = await (await serve(t)).open()
  const doubtful = 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 30\r\n\r\n'
  client.send(doubtful + get('/smuggled'))
  await client.take(/HTTP\/1\.1 400 /)
  await once(client.socket, 'close')
  assert.doesNotMatch(client.received, /smuggled /)
})

test('FastPathConnection: refuses a body over the limit and continues the connection', async (t) => {
  const client = await (await serve(t)).open()
  client.send(post('/a', 'x'.repeat(1001)))
  await client.take(/limit is 1000$/)
  client.send(get('/b'))
  await client.take(/OrdinaryExchange.*GET \/b $/s)
})

test('FastPathConnection: sends a long response completely', async (t) => {
  const client = await (await serve(t)).open()
  client.send(get('/long'))
  await client.take(/Content-Length: 1000000\r\n\r\nx{1000000}$/)
})

test('FastPathConnection: sends a stream in chunks and continues the connection afterwards', async (t) => {
  let closed = 0
  const sinks: WatchSink[] = []
  const client = await (
    await serve(t, (sink) => {
      sink.onClose(() => closed++)
      sink.onDrain(() => undefined)
      sinks.push(sink)
    })
  ).open()
  client.send(get('/stream'))
  await client.take(/Transfer-Encoding: chunked\r\n\r\n$/)
  const [sink] = sinks as [WatchSink]
  assert.equal(sink.write(Buffer.from('event\n')), true)
  await client.take(/^6\r\nevent\n\r\n$/)
  sink.end()
  await client.take(/^0\r\n\r\n$/)
  assert.equal(closed, 1)
  client.send(get('/after'))
  await client.take(/GET \/after $/)
})

test('FastPathConnection: notifies a stream when its reader disconnects', async (t) => {
  const streams: WatchSink[] = []
  const client = await (await serve(t, (sink) => streams.push(sink))).open()
  client.send(get('/stream'))
  await client.take(/chunked/)
  const left = new Promise<void>((resolve) => streams[0]?.onClose(resolve))
  client.socket.destroy()
  await left
})

test('FastPathConnection: closes a connection that sends nothing', async (t) => {
  const client = await (await serve(t, undefined, 50)).open()
  await once(client.socket, 'close')
})

test('FastPathConnection: closes idle connections immediately and others after their response', async (t) => {
  const sinks: WatchSink[] = []
  const { listener, open } = await serve(t, (sink) => sinks.push(sink))
  const [idle, busy] = await Promise.all([open(), open()])
  idle.send(get('/a'))
  await idle.take(/GET \/a $/)
  busy.send(get('/stream'))
  await busy.take(/chunked/)
  const closed = listener.close(60_000)
  await once(idle.socket, 'close')
  assert.equal(busy.socket.closed, false)
  sinks[0]?.end()
  await busy.take(/0\r\n\r\n$/)
  await closed
})

test('FastPathConnection: closes a connection that had no request for the keep-alive time', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const sinks: WatchSink[] = []
  const { open } = await serve(t, (sink) => sinks.push(sink))
  const [idle, used, watching] = await Promise.all([open(), open(), open()])
  for (const client of [idle, used]) {
    client.send(get('/a'))
    await client.take(/GET \/a $/)
  }
  watching.send(get('/stream'))
  await watching.take(/chunked/)
  const closed = once(idle.socket, 'close')
  t.mock.timers.tick(190_000)
  for (const client of [used, idle]) assert.equal(client.socket.closed, false)
  used.send(get('/b'))
  await used.take(/GET \/b $/)
  t.mock.timers.tick(190_000)
  await closed
  used.send(get('/c'))
  await used.take(/GET \/c $/)
  sinks[0]?.end()
  await watching.take(/0\r\n\r\n$/)
})
