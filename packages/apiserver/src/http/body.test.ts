import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import { readBody } from './body.js'

async function refusal(body: Promise<Buffer>): Promise<number> {
  try {
    await body
  } catch (error) {
    if (error instanceof StatusError) return error.code
    throw error
  }
  throw new Error('it was taken')
}

test('a body is whole, in however many pieces it came', async () => {
  const source = new PassThrough()
  const body = readBody(source, undefined, 100_000)
  const pieces = Array.from({ length: 2000 }, (_, index) => `${index} `)
  for (const piece of pieces) source.write(piece)
  source.end()
  assert.equal((await body).toString(), pieces.join(''))
})

test('a body in one piece is not copied', async () => {
  const source = new PassThrough()
  const piece = Buffer.from('{"a":1}')
  const body = readBody(source, String(piece.length), 100)
  source.end(piece)
  assert.equal((await body).buffer, piece.buffer)
})

test('a body over the limit is refused before it is read, and while it is', async () => {
  assert.equal(await refusal(readBody(new PassThrough(), '11', 10)), 413)
  const source = new PassThrough()
  const body = readBody(source, undefined, 10)
  source.write('12345678')
  source.write('9ab')
  assert.equal(await refusal(body), 413)
})

test('a client that takes too long or goes away is told so', async () => {
  assert.equal(await refusal(readBody(new PassThrough(), undefined, 10, 1)), 504)
  const source = new PassThrough()
  const body = readBody(source, undefined, 10)
  source.write('1')
  source.destroy()
  assert.equal(await refusal(body), 400)
})
