import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { servePortForward, TUNNEL_PROTOCOL } from './port-forward.js'
import { SPDY_DICTIONARY } from './spdy-dictionary.js'
import { HeaderReader, HeaderWriter } from './spdy-headers.js'
import { SpdySession, type SpdyStream } from './spdy-session.js'

/** Returns a control frame, or a data frame if there is no type. */
function frame(type: number | undefined, id: number, body: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(8)
  if (type === undefined) head.writeUInt32BE(id, 0)
  else {
    head.writeUInt16BE(0x8003, 0)
    head.writeUInt16BE(type, 2)
  }
  head.writeUInt8(flags, 4)
  head.writeUIntBE(body.length, 5, 3)
  return Buffer.concat([head, body])
}

async function synStream(writer: HeaderWriter, id: number, headers: Record<string, string>): Promise<Buffer> {
  const start = Buffer.alloc(10)
  start.writeUInt32BE(id, 0)
  return frame(1, id, Buffer.concat([start, await writer.write(new Map(Object.entries(headers)))]))
}

/** Returns a session and its recorded events; `until` waits for a condition. */
function session() {
  const sent: Buffer[] = []
  const streams: SpdyStream[] = []
  const broken: string[] = []
  let wake: () => void = () => undefined
  const news =
    <T>(list: T[]) =>
    (one: T) => {
      list.push(one)
      wake()
    }
  const made = new SpdySession({
    send: news(sent),
    onStream: news(streams),
    onBroken: ({ message }) => news(broken)(message),
  })
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { made, sent, streams, broken, until }
}

test('SPDY_DICTIONARY: equals the dictionary of the protocol', () => {
  const digest = createHash('sha256').update(SPDY_DICTIONARY).digest('hex')
  assert.equal(digest, '51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02')
})

test('HeaderReader: reads consecutive blocks of one compressed stream', async () => {
  const [writer, reader] = [new HeaderWriter(), new HeaderReader()]
  for (const headers of [{ StreamType: 'data', Port: '80' }, {}, { streamtype: 'error', empty: '' }]) {
    const read = await reader.read(await writer.write(new Map(Object.entries(headers))))
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    assert.deepEqual([...read], lower)
  }
  await assert.rejects(reader.read(await writer.write(new Map([['x', 'y'.repeat(5_000)]]))), /too long/)
  reader.close()
  writer.close()
})

test('SpdySession: answers streams and passes data in both directions', async () => {
  const { made, sent, streams, until } = session()
  const writer = new HeaderWriter()
  const bytes = Buffer.concat([
    await synStream(writer, 1, { streamtype: 'error', port: '80', requestid: '0' }),
    await synStream(writer, 3, { streamtype: 'data', port: '80', requestid: '0' }),
    frame(undefined, 3, Buffer.from('hello')),
  ])
  // One byte at a time.
  for (const byte of bytes) made.receive(Buffer.from([byte]))
  await until(() => streams.length === 2)
  const [error, data] = streams
  assert.equal(error?.headers.get('streamtype'), 'error')
  const received: (string | undefined)[] = []
  assert.ok(data)
  data.onData = (piece) => received.push(piece?.toString())
  made.receive(frame(undefined, 3, Buffer.from('more'), 1))
  made.receive(frame(6, 0, Buffer.from([0, 0, 0, 7])))
  await until(() => sent.length === 3)
  assert.deepEqual(received.slice(-2), ['more', undefined])
  // Two replies, and the ping echoed.
  assert.deepEqual(sent.map((one) => one.readUInt16BE(2)).slice(0, 2), [2, 2])
  assert.deepEqual(sent[2], frame(6, 0, Buffer.from([0, 0, 0, 7])))
  data.write(Buffer.from('answer'))
  data.end()
  assert.deepEqual(sent.slice(3), [frame(undefined, 3, Buffer.from('answer')), frame(undefined, 3, Buffer.alloc(0), 1)])
  made.close()
  writer.close()
})

test('SpdySession: takes a large frame in single bytes in linear time', async () => {
  const { made, sent, until } = session()
  const started = process.cpuUsage().user
  for (const byte of frame(9, 0, Buffer.alloc(500_000))) made.receive(Buffer.from([byte]))
  made.receive(frame(6, 0, Buffer.from([0, 0, 0, 7])))
  await until(() => sent.length === 1)
  assert.ok(process.cpuUsage().user - started < 10_000_000)
  made.close()
})

test('SpdySession: ends on a protocol error', async () => {
  const cases = [
    frame(undefined, 1, Buffer.alloc(0)).fill(0xff, 5, 8),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.concat([Buffer.from([0x80, 2]), frame(6, 0, Buffer.alloc(4)).subarray(2)]),
    frame(1, 1, Buffer.from('too short')),
    frame(1, 1, Buffer.alloc(40, 7)),
  ]
  for (const bytes of cases) {
    const { made, broken, until, streams } = session()
    made.receive(bytes)
    await until(() => broken.length === 1)
    assert.deepEqual(streams, [])
  }
})

test('servePortForward: forgets an error stream that is reset', async () => {
  const sent: Buffer[] = []
  let receive: (message: Buffer) => void = () => undefined
  let wake: () => void = () => undefined
  const socket = {
    protocol: TUNNEL_PROTOCOL,
    send: (bytes: Buffer) => {
      sent.push(bytes)
      wake()
      return true
    },
    onMessage: (callback: (message: Buffer, frame: 'binary') => void) => {
      receive = (message) => callback(message, 'binary')
    },
    onDrain: () => undefined,
    onClose: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  }
  servePortForward({ pod: 'p', ports: [], refusal: () => 'it must not be asked for' }, socket)
  const writer = new HeaderWriter()
  receive(await synStream(writer, 1, { streamtype: 'error', port: '80', requestid: '0' }))
  receive(frame(3, 0, Buffer.from([0, 0, 0, 1, 0, 0, 0, 5])))
  receive(await synStream(writer, 3, { streamtype: 'data', port: '80', requestid: '0' }))
  while (sent.length < 3) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  // Two replies, and the reset of the stream without an error stream.
  assert.deepEqual(sent[2], frame(3, 0, Buffer.from([0, 0, 0, 3, 0, 0, 0, 1])))
  writer.close()
})

test('SpdySession: stops a stream that is reset', async () => {
  const { made, streams, until } = session()
  const writer = new HeaderWriter()
  made.receive(await synStream(writer, 1, { streamtype: 'data' }))
  await until(() => streams.length === 1)
  const stopped = new Promise<void>((resolve) => {
    const [stream] = streams
    if (stream !== undefined) stream.onReset = resolve
  })
  made.receive(frame(3, 0, Buffer.from([0, 0, 0, 1, 0, 0, 0, 5])))
  await stopped
  made.close()
  writer.close()
})
