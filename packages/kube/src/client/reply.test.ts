import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNotFound, isTooManyRequests, StatusError } from '@orrery/kinds/values'
import { readList } from './read-list.js'
import { failureOf, readJson, retryAfter } from './reply.js'
import type { HttpResponse } from './transport.js'

function answer(status: number, text: string, headers: Record<string, string> = {}): HttpResponse {
  const bytes = Buffer.from(text)
  return {
    status,
    headers,
    bytes: () => Promise.resolve(bytes),
    body: (async function* () {
      yield bytes
    })(),
  }
}

test('failureOf: returns the Status that the server sent', async () => {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'NotFound',
    message: 'no',
  }
  const failure = await failureOf(answer(404, JSON.stringify(status)))
  assert(isNotFound(failure))
  assert.equal(failure.message, 'no')
  assert.equal(failure.code, 404)
})

test("failureOf: derives the reason of a proxy's response from its code", async () => {
  const failure = await failureOf(answer(429, 'slow down', { 'retry-after': '3' }))
  assert(isTooManyRequests(failure))
  assert.equal(failure.message, 'slow down')
  assert.equal(failure.status.details?.retryAfterSeconds, 3)
  assert.equal((await failureOf(answer(502, ''))).message, 'the server responded with 502')
  assert(isNotFound(await failureOf(answer(404, '404 page not found'))))
})

test('readJson: rejects a response that is not JSON, and shortens it in the message', async () => {
  await assert.rejects(readJson(answer(200, `<html>${'x'.repeat(10_000)}`)), (error) => {
    assert(error instanceof StatusError)
    assert(error.message.length < 3_000)
    return error.message.startsWith('the response is not JSON: <html>')
  })
})

test('retryAfter: accepts only a whole number of seconds', () => {
  assert.equal(retryAfter(answer(503, '', { 'retry-after': '0' })), 0)
  assert.equal(retryAfter(answer(503, '', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })), undefined)
  assert.equal(retryAfter(answer(503, '')), undefined)
})

test('readJson: does not quote broken JSON, which may be part of a Secret', async () => {
  await assert.rejects(readJson(answer(200, '{"data":{"password":"c2VjcmV0"},,}')), {
    name: 'StatusError',
    message: 'the response is not JSON',
  })
})

test('readJson: rejects JSON that is not an object', async () => {
  for (const text of ['null', '5', '"x"', 'true']) {
    await assert.rejects(readJson(answer(200, text)), StatusError)
  }
})

test('readList: rejects anything but a list of objects, since all objects would look deleted', async () => {
  for (const text of ['{}', '[]', '{"items":5}', '{"items":{}}', '{"items":[null]}', '{"message":"maintenance"}']) {
    await assert.rejects(readList(answer(200, text)), /not a list of objects/)
  }
  assert.deepEqual(await readList(answer(200, '{"items":null,"metadata":{"resourceVersion":"7","continue":""}}')), {
    items: [],
    resourceVersion: '7',
  })
})

test('statusFrom: keeps fields of the right type and drops the others', async () => {
  const failure = await failureOf(
    answer(504, '{"kind":"Status","message":{"toString":1},"code":"x","details":{"causes":5,"retryAfterSeconds":2}}'),
  )
  assert.equal(failure.code, 504)
  assert.deepEqual(failure.status.details, { retryAfterSeconds: 2 })
})
