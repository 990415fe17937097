import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { FastPathHeadReader } from './fast-path-head.js'

const read = (text: string) => new FastPathHeadReader().read(Buffer.from(text, 'latin1'))

test('FastPathHeadReader: reads an ordinary head', () => {
  assert.deepEqual(
    read('POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length:  3 \r\nConnection: Keep-Alive\r\n\r\nabc'),
    {
      method: 'POST',
      url: '/a?b=c',
      headers: { host: 'x', 'content-length': '3', connection: 'Keep-Alive' },
      headLength: 78,
      bodyLength: 3,
    },
  )
})

test('FastPathHeadReader: reuses only identical header lines of the previous request', () => {
  const reader = new FastPathHeadReader()
  const ask = (path: string, host: string) =>
    reader.read(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`))?.headers
  const first = ask('/a', 'one')
  assert.equal(ask('/b', 'one'), first)
  assert.deepEqual(ask('/c', 'two'), { host: 'two' })
  assert.deepEqual(first, { host: 'one' })
})

test('FastPathHeadReader: returns the previous head only for the same bytes', () => {
  const reader = new FastPathHeadReader()
  const ask = (text: string) => reader.read(Buffer.from(text))
  const head = 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n'
  const first = ask(`${head}abc`)
  assert.equal(ask(`${head}xyz`), first)
  assert.equal(ask(head.slice(0, -1)), undefined)
  assert.equal(ask(`${head.replace('/a', '/b')}xyz`)?.url, '/b')
  assert.equal(ask(`${head.replace('3', '4')}wxyz`)?.bodyLength, 4)
  assert.deepEqual(ask(`${head}abc`), first)
})

for (const [what, head] of [
  ['an end that has not come yet', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['no host', 'GET / HTTP/1.1\r\nAccept: y\r\n\r\n'],
  ['no header at all', 'GET / HTTP/1.1\r\n\r\n'],
  ['another version', 'GET / HTTP/1.0\r\nHost: x\r\n\r\n'],
  ['another method', 'OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an absolute URL', 'GET https://x/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a space in the URL', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a header twice', 'GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n'],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['a line without a colon', 'GET / HTTP/1.1\r\nHost: x\r\noops\r\n\r\n'],
  ['a bare line feed', 'GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n'],
  ['a bare carriage return', 'GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n'],
  ['a byte beyond ASCII', 'GET / HTTP/1.1\r\nHost: x\r\nA: \xe9\r\n\r\n'],
  ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc'],
  ['a chunked body', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['an expectation', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['the wish to close', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a head that is too long', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`],
] as const) {
  test(`FastPathHeadReader: leaves ${what} to the complete parser`, () => assert.equal(read(head), undefined))
}

/** Returns what the parser of Node.js reads; undefined if it refuses the bytes. */
async function nodeReads(bytes: Buffer): Promise<IncomingMessage | undefined> {
  const carrier = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const server = createServer()
  const answer = new Promise<IncomingMessage | undefined>((resolve) => {
    server.on('request', (request) => resolve(request))
    server.on('clientError', () => resolve(undefined))
  })
  server.emit('connection', carrier)
  carrier.push(bytes)
  carrier.push(null)
  const request = await answer
  carrier.destroy()
  return request
}

test('FastPathHeadReader: reads the same as Node.js', async () => {
  const part = fc.oneof(
    fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      ':',
      ' ',
      '\t',
      ',',
      '\0',
      '\x7f',
      'Content-Length',
      'Host',
      'HTTP/1.1',
      '0',
      '7',
    ),
    fc.string({ maxLength: 3 }),
  )
  const base = 'POST /api/v1/x?y=z HTTP/1.1\r\nHost: h\r\nAccept: a/b, c\r\nContent-Length: 0\r\nX-Y: 1\r\n\r\n'
  const mutated = fc
    .array(fc.tuple(fc.nat(base.length), fc.nat(3), part), { maxLength: 2 })
    .map((changes) =>
      changes.reduce((text, [at, length, inserted]) => text.slice(0, at) + inserted + text.slice(at + length), base),
    )
  await fc.assert(
    fc.asyncProperty(mutated, async (text) => {
      const bytes = Buffer.from(text, 'latin1')
      const head = new FastPathHeadReader().read(bytes)
      if (head === undefined) return
      const request = await nodeReads(bytes)
      assert.ok(request !== undefined, 'Node refuses it')
      assert.equal(head.method, request.method)
      assert.equal(head.url, request.url)
      assert.deepEqual({ ...head.headers }, { ...request.headers })
    }),
    { numRuns: 500 },
  )
})
