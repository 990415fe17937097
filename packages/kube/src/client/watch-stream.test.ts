import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGone, isInternalError, StatusError } from '@orrery/kinds/values'
import fc from 'fast-check'
import { watchEvents } from './watch-stream.js'

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0
  for (const cut of [...cuts.map((n) => n % (bytes.length + 1))].sort((a, b) => a - b)) {
    if (cut > from) yield bytes.subarray(from, cut)
    from = Math.max(from, cut)
  }
  if (from < bytes.length) yield bytes.subarray(from)
}

async function collect(body: AsyncIterable<Buffer>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const events of watchEvents(body)) all.push(...events)
  return all
}

test('watchEvents: returns the same events however the bytes are chunked', async () => {
  const event = fc.record({
    type: fc.constantFrom('ADDED', 'MODIFIED'),
    object: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(event), fc.array(fc.nat(4_000)), async (events, cuts) => {
      const sent = JSON.parse(JSON.stringify(events)) as unknown[]
      const bytes = Buffer.from(events.map((one) => `${JSON.stringify(one)}\n`).join(''))
      assert.deepEqual(await collect(pieces(bytes, cuts)), sent)
    }),
  )
})

test('watchEvents: an error ends the stream after the events before it', async () => {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Expired',
    code: 410,
    message: 'too old',
  }
  const lines = [
    { type: 'ADDED', object: { a: 1 } },
    { type: 'ERROR', object: status },
    { type: 'ADDED', object: { a: 2 } },
  ]
  const seen: unknown[] = []
  await assert.rejects(async () => {
    const bytes = Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    for await (const events of watchEvents(pieces(bytes, []))) seen.push(...events)
  }, isGone)
  assert.deepEqual(seen, [{ type: 'ADDED', object: { a: 1 } }])
})

test('watchEvents: ignores an incomplete line at the end of the stream', async () => {
  assert.deepEqual(await collect(pieces(Buffer.from('{"type":"ADDED","object":{"a":1}}\n{"type":"ADD'), [])), [
    { type: 'ADDED', object: { a: 1 } },
  ])
})

test('watchEvents: fails on invalid events, without quoting them', async () => {
  const lines = [
    'null',
    '5',
    '<html>',
    '{"type":"ADDED"}',
    '{"type":"ERROR","object":null}',
    '{"object":{"password":x}}',
  ]
  for (const line of lines) {
    await assert.rejects(collect(pieces(Buffer.from(`${line}\n`), [])), (error) => {
      assert(isInternalError(error))
      assert.equal(error.message, 'the watch sent an invalid event')
      return true
    })
  }
})

test('watchEvents: a malformed Status is still an error', async () => {
  const object = {
    message: { toString: 1 },
    code: 'x',
    reason: 5,
    details: { causes: [null, { reason: 'a', field: 7 }] },
  }
  const bytes = Buffer.from(`${JSON.stringify({ type: 'ERROR', object })}\n`)
  await assert.rejects(collect(pieces(bytes, [])), (error) => {
    assert(error instanceof StatusError)
    assert.equal(error.code, 500)
    assert.deepEqual(error.status.details, { causes: [{ reason: 'a' }] })
    return true
  })
})

test('watchEvents: gives up an event without an end, however small its chunks', async () => {
  const longest = 10_000
  let sent = 0
  const endless = async function* () {
    for (; ; sent++) yield Buffer.from('x')
  }
  const reading = async () => {
    for await (const _ of watchEvents(endless(), longest)) assert.fail('expected an error')
  }
  await assert.rejects(reading, /event that is too large/)
  assert.equal(sent, longest)
})
