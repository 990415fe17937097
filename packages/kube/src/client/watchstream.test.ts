import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isGone } from '../status.js'
import { watchEvents } from './watchstream.js'

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

test('events are the same however the bytes are cut', async () => {
  const event = fc.record({ type: fc.constantFrom('ADDED', 'MODIFIED'), object: fc.jsonValue() })
  await fc.assert(
    fc.asyncProperty(fc.array(event), fc.array(fc.nat(4_000)), async (events, cuts) => {
      const sent = JSON.parse(JSON.stringify(events)) as unknown[]
      const bytes = Buffer.from(events.map((one) => `${JSON.stringify(one)}\n`).join(''))
      assert.deepEqual(await collect(pieces(bytes, cuts)), sent)
    }),
  )
})

test('an error ends the stream after the events before it', async () => {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Expired',
    code: 410,
    message: 'too old',
  }
  const lines = [
    { type: 'ADDED', object: 1 },
    { type: 'ERROR', object: status },
    { type: 'ADDED', object: 2 },
  ]
  const seen: unknown[] = []
  await assert.rejects(async () => {
    const bytes = Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    for await (const events of watchEvents(pieces(bytes, []))) seen.push(...events)
  }, isGone)
  assert.deepEqual(seen, [{ type: 'ADDED', object: 1 }])
})

test('a line that is cut off by the end of the stream is not an event', async () => {
  assert.deepEqual(await collect(pieces(Buffer.from('{"type":"ADDED","object":1}\n{"type":"ADD'), [])), [
    { type: 'ADDED', object: 1 },
  ])
})
