import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { PIECE_BYTES, writeInPieces } from './paced-writes.js'

/** A stream that takes each write when the test says so. */
class Slow extends Writable {
  readonly taken: Buffer[] = []
  #done: (() => void) | undefined

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(chunk)
    this.#done = done
  }

  override _writev(writes: { chunk: Buffer; encoding: BufferEncoding }[], done: () => void): void {
    this._write(Buffer.concat(writes.map(({ chunk }) => chunk)), 'utf8', done)
  }

  /** Lets the stream finish the current write, and what follows from it. */
  async takeOne(): Promise<void> {
    const done = this.#done
    this.#done = undefined
    done?.()
    await new Promise(setImmediate)
  }

  get sizes(): number[] {
    return this.taken.map(({ length }) => length)
  }
}

function paced(): Slow {
  const stream = new Slow()
  writeInPieces(stream, { copies: false })
  return stream
}

test('writeInPieces: hands over a large write piece by piece', async () => {
  const stream = paced()
  const bytes = Buffer.from(Array.from({ length: PIECE_BYTES * 2 + 10 }, (_, index) => index % 251))
  stream.write(bytes)
  assert.deepEqual(stream.sizes, [PIECE_BYTES])
  await stream.takeOne()
  assert.deepEqual(stream.sizes, [PIECE_BYTES, PIECE_BYTES])
  await stream.takeOne()
  assert.equal(stream.writableNeedDrain, true)
  await stream.takeOne()
  assert.equal(stream.writableNeedDrain, false)
  assert.deepEqual(Buffer.concat(stream.taken), bytes)
})

test('writeInPieces: divides and joins what was written meanwhile', async () => {
  const stream = paced()
  stream.write(Buffer.alloc(PIECE_BYTES, 'a'))
  stream.write('head')
  stream.write(Buffer.alloc(PIECE_BYTES, 'b'))
  stream.end('tail')
  await stream.takeOne()
  assert.deepEqual(stream.sizes, [PIECE_BYTES, PIECE_BYTES])
  await stream.takeOne()
  await stream.takeOne()
  assert.equal(stream.writableFinished, true)
  assert.deepEqual(stream.sizes, [PIECE_BYTES, PIECE_BYTES, 8])
  assert.equal(String(Buffer.concat(stream.taken).subarray(PIECE_BYTES)), `head${'b'.repeat(PIECE_BYTES)}tail`)
})

test('writeInPieces: leaves small writes as they are', async () => {
  const stream = paced()
  for (const text of ['one', 'two', 'three']) stream.write(text)
  await stream.takeOne()
  assert.deepEqual(stream.taken.map(String), ['one', 'twothree'])
})

test('writeInPieces: writes no further piece after the stream was destroyed', async () => {
  const stream = paced()
  stream.write(Buffer.alloc(3 * PIECE_BYTES))
  stream.destroy()
  await new Promise(setImmediate)
  await stream.takeOne()
  assert.deepEqual(stream.sizes, [PIECE_BYTES])
})
