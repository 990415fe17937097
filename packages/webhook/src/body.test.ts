import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { readJson } from './body.js'
import { BodyBudget } from './body-budget.js'

const LIMITS = { maxBytes: 10_000_000, maxValues: 1_000 }

/** A request whose body is written piece by piece. */
function openRequest(): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers: { 'content-type': 'application/json' } }) as never
}

test('readJson: bodies that never end are refused, the largest first, when all together exceed the budget', async () => {
  const budget = new BodyBudget(1_000_000)
  const hostile = Array.from({ length: 50 }, openRequest)
  const refused = hostile.map((request) =>
    readJson(request, LIMITS, budget).then(
      () => '',
      (error: Error) => error.message,
    ),
  )
  for (const request of hostile) for (let piece = 0; piece < 5; piece++) request.write(Buffer.alloc(10_000, ' '))
  const honest = openRequest()
  const read = readJson(honest, LIMITS, budget)
  honest.write('{"kind":')
  for (const request of hostile) for (let piece = 0; piece < 50; piece++) request.write(Buffer.alloc(10_000, ' '))
  honest.end('"AdmissionReview"}')
  assert.deepEqual(await read, { kind: 'AdmissionReview' })
  const outcomes = await Promise.all(refused.slice(0, 1))
  assert.deepEqual(outcomes, ['too many request bodies are incomplete'])
  for (const request of hostile) request.destroy(new Error('over'))
  assert.equal((await Promise.all(refused)).filter((message) => message.startsWith('too many')).length >= 48, true)
})

test('readJson: what was read counts no more', async () => {
  const budget = new BodyBudget(1_000)
  for (let i = 0; i < 10; i++) {
    const request = openRequest()
    request.end(`"${'x'.repeat(900)}"`)
    assert.equal(String(await readJson(request, LIMITS, budget)).length, 900)
  }
})

test('readJson: refuses a small body of many values before it ends', async () => {
  const request = openRequest()
  const read = readJson(request, LIMITS, new BodyBudget(1_000_000))
  request.write(`[${'{},'.repeat(400)}`)
  request.write('{},'.repeat(400))
  await assert.rejects(read, /limit is 1000 values/)
})
