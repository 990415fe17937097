import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNotFound, isTooManyRequests, StatusError } from '../status.js'
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
