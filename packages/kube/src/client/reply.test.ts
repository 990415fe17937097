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

test('a failure is the Status the server sent', async () => {
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

test('a failure of something in between is told by its code', async () => {
  const failure = await failureOf(answer(429, 'slow down', { 'retry-after': '3' }))
  assert(isTooManyRequests(failure))
  assert.equal(failure.message, 'slow down')
  assert.equal(failure.status.details?.retryAfterSeconds, 3)
  assert.equal((await failureOf(answer(502, ''))).message, 'the server answered 502')
  assert(isNotFound(await failureOf(answer(404, '404 page not found'))))
})

test('an answer that is not JSON is a failure, and a long one is cut', async () => {
  await assert.rejects(readJson(answer(200, `<html>${'x'.repeat(10_000)}`)), (error) => {
    assert(error instanceof StatusError)
    assert(error.message.length < 3_000)
    return error.message.startsWith('the answer is not JSON: <html>')
  })
})

test('a wish to wait is a whole number of seconds', () => {
  assert.equal(retryAfter(answer(503, '', { 'retry-after': '0' })), 0)
  assert.equal(retryAfter(answer(503, '', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })), undefined)
  assert.equal(retryAfter(answer(503, '')), undefined)
})

test('broken JSON is not quoted: it may be a part of a Secret', async () => {
  await assert.rejects(readJson(answer(200, '{"data":{"password":"c2VjcmV0"},,}')), {
    name: 'StatusError',
    message: 'the answer is not JSON',
  })
})

test('only an object is an answer', async () => {
  for (const text of ['null', '5', '"x"', 'true']) {
    await assert.rejects(readJson(answer(200, text)), StatusError)
  }
})

test('only a list of objects is a list: anything else would make all objects look deleted', async () => {
  for (const text of ['{}', '[]', '{"items":5}', '{"items":{}}', '{"items":[null]}', '{"message":"maintenance"}']) {
    await assert.rejects(readList(answer(200, text)), /not a list of objects/)
  }
  assert.deepEqual(await readList(answer(200, '{"items":null,"metadata":{"resourceVersion":"7","continue":""}}')), {
    items: [],
    resourceVersion: '7',
  })
})

test('a Status keeps what is of the right type, and loses the rest', async () => {
  const failure = await failureOf(
    answer(504, '{"kind":"Status","message":{"toString":1},"code":"x","details":{"causes":5,"retryAfterSeconds":2}}'),
  )
  assert.equal(failure.code, 504)
  assert.deepEqual(failure.status.details, { retryAfterSeconds: 2 })
})
