import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bodyDecoder } from './body-decoder.js'
import { MalformedResponse } from './response-head.js'

/** The output for chunks of these sizes, and how many bytes were not part of this body. */
function decode(decoder: ReturnType<typeof bodyDecoder>, bytes: Buffer, sizes: readonly number[]) {
  const body: Buffer[] = []
  let at = 0
  for (let index = 0; at < bytes.length && !decoder.done; index++) {
    const piece = bytes.subarray(at, at + (sizes[index % sizes.length] ?? 1))
    const taken = decoder.write(piece, (some) => body.push(Buffer.from(some)))
    at += taken
    if (taken < piece.length) break
  }
  return { body: Buffer.concat(body), rest: bytes.length - at, done: decoder.done }
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })

test('bodyDecoder: chunked bodies are the same however the bytes are split', () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 60 })
  const extension = fc.constantFrom('', ';name', ' ;a="b"')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(chunk, extension)),
      fc.array(fc.constantFrom('x: y')),
      sizes,
      (chunks, trailers, cuts) => {
        const encoded = chunks.flatMap(([bytes, more]) => [
          Buffer.from(`${bytes.length.toString(16)}${more}\r\n`),
          Buffer.from(bytes),
          Buffer.from('\r\n'),
        ])
        const end = Buffer.from(`0\r\n${trailers.map((line) => `${line}\r\n`).join('')}\r\n`)
        const all = Buffer.concat([...encoded, end, Buffer.from('next')])
        const { body, rest, done } = decode(bodyDecoder({ kind: 'chunked' }), all, cuts)
        assert.ok(body.equals(Buffer.concat(chunks.map(([bytes]) => bytes))))
        assert.deepEqual([done, rest], [true, 4])
      },
    ),
  )
})

test('bodyDecoder: a body with a length takes only its own bytes', () => {
  const { body, rest, done } = decode(bodyDecoder({ kind: 'length', length: 5 }), Buffer.from('hello, you'), [4])
  assert.deepEqual([body.toString(), rest, done], ['hello', 5, true])
  assert.equal(bodyDecoder({ kind: 'length', length: 0 }).done, true)
})

test('bodyDecoder: a body without a length ends with the connection', () => {
  const decoder = bodyDecoder({ kind: 'close' })
  const { body, done } = decode(decoder, Buffer.from('all of it'), [3])
  assert.deepEqual([body.toString(), done, decoder.endsWithConnection], ['all of it', false, true])
})

test('bodyDecoder: rejects invalid chunks', () => {
  const broken = [
    'x\r\n',
    '-1\r\n',
    '5\n',
    '1\r\nab\r\n',
    '1\r\na\n',
    '\r\n',
    '1234567890123\r\n',
    `5;${'x'.repeat(5000)}`,
    `0\r\n${'x: y\r\n'.repeat(200)}`,
  ]
  for (const text of broken) {
    const decoder = bodyDecoder({ kind: 'chunked' })
    assert.throws(() => decode(decoder, Buffer.from(text), [7]), MalformedResponse, text.slice(0, 20))
  }
})
