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

test('readBody: joins a body from any number of chunks', async () => {
  const source = new PassThrough()
  const body = readBody(source, undefined, 100_000)
  const pieces = Array.from({ length: 2000 }, (_, index) => `${index} `)
  for (const piece of pieces) source.write(piece)
  source.end()
  assert.equal((await body).toString(), pieces.join(''))
})

test('readBody: does not copy a body in one chunk', async () => {
  const source = new PassThrough()
  const piece = Buffer.from('{"a":1}')
  const body = readBody(source, String(piece.length), 100)
  source.end(piece)
  assert.equal((await body).buffer, piece.buffer)
})

test('readBody: refuses a body over the limit before and while it reads it', async () => {
  assert.equal(await refusal(readBody(new PassThrough(), '11', 10)), 413)
  const source = new PassThrough()
  const body = readBody(source, undefined, 10)
  source.write('12345678')
  source.write('9ab')
  assert.equal(await refusal(body), 413)
})

test('readBody: reports a client that is too slow or disconnects', async () => {
  assert.equal(await refusal(readBody(new PassThrough(), undefined, 10, 1)), 504)
  const source = new PassThrough()
  const body = readBody(source, undefined, 10)
  source.write('1')
  source.destroy()
  assert.equal(await refusal(body), 400)
})
