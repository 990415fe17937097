import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MalformedResponse, parseResponseHead } from './response-head.js'

const parse = (text: string, method = 'GET') => parseResponseHead(text.replaceAll('\n', '\r\n'), method)

test('parseResponseHead: reads the status, headers in lower case, and the length of the body', () => {
  const head = parse('HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 12\nX-Empty:')
  assert.equal(head.status, 200)
  assert.deepEqual({ ...head.headers }, { 'content-type': 'application/json', 'content-length': '12', 'x-empty': '' })
  assert.deepEqual(head.framing, { kind: 'length', length: 12 })
  assert.equal(head.keepAlive, true)
})

test('parseResponseHead: a repeated header is a list', () => {
  const { headers } = parse('HTTP/1.1 200 OK\nWarning: a\nwarning: b\nWARNING: c')
  assert.deepEqual(headers.warning, ['a', 'b', 'c'])
})

test('parseResponseHead: determines the end of the body', () => {
  assert.deepEqual(parse('HTTP/1.1 200 OK\ntransfer-encoding: Chunked').framing, { kind: 'chunked' })
  assert.deepEqual(parse('HTTP/1.1 200 OK').framing, { kind: 'close' })
  assert.deepEqual(parse('HTTP/1.1 200').framing, { kind: 'close' })
  for (const text of [
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 304 Not Modified\ncontent-length: 5',
    'HTTP/1.1 100 Continue',
  ]) {
    assert.deepEqual(parse(text).framing, { kind: 'length', length: 0 }, text)
  }
  assert.deepEqual(parse('HTTP/1.1 200 OK\ncontent-length: 5', 'HEAD').framing, { kind: 'length', length: 0 })
  assert.deepEqual(parse('HTTP/1.1 200 OK\ncontent-length: 5\ncontent-length: 5').framing, {
    kind: 'length',
    length: 5,
  })
})

test('parseResponseHead: determines whether the connection can be reused', () => {
  const isKept = (text: string) => parse(text).keepAlive
  assert.equal(isKept('HTTP/1.1 200 OK\ncontent-length: 1\nconnection: close'), false)
  assert.equal(isKept('HTTP/1.0 200 OK\ncontent-length: 1'), false)
  assert.equal(isKept('HTTP/1.0 200 OK\ncontent-length: 1\nconnection: Keep-Alive'), true)
  assert.equal(isKept('HTTP/1.1 200 OK'), false)
  // A proxy may have used the other header.
  assert.equal(isKept('HTTP/1.1 200 OK\ntransfer-encoding: chunked\ncontent-length: 1'), false)
})

test('parseResponseHead: rejects anything but HTTP', () => {
  const refused = [
    'HTTP/2 200 OK',
    'SSH-2.0-OpenSSH',
    'HTTP/1.1 20',
    'HTTP/1.1 0200 OK',
    'HTTP/1.1 200 OK\nno header',
    'HTTP/1.1 200 OK\n: nameless',
    'HTTP/1.1 200 OK\ncontent-length: -1',
    'HTTP/1.1 200 OK\ncontent-length: 0x10',
    'HTTP/1.1 200 OK\ncontent-length: 1\ncontent-length: 2',
    'HTTP/1.1 200 OK\ntransfer-encoding: gzip, chunked',
    'HTTP/1.1 200 OK\ntransfer-encoding: chunked\ntransfer-encoding: chunked',
  ]
  for (const text of refused) assert.throws(() => parse(text), MalformedResponse, text)
})

test('parseResponseHead: has no other error for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      try {
        parse(`HTTP/1.1 200 OK\n${text}`)
      } catch (error) {
        assert.ok(error instanceof MalformedResponse)
      }
    }),
  )
})

test('parseResponseHead: headers cannot reach the prototype', () => {
  const { headers } = parse('HTTP/1.1 200 OK\n__proto__: x\nconstructor: y')
  assert.equal(Object.getPrototypeOf(headers), null)
  assert.equal(headers.constructor, 'y')
})
