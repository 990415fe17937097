import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalExchange } from '../http/in-process.js'
import { jsonOf } from '../testing/path-client.fixture.js'
import { isPretty, sendFailure } from './reply.js'

const exchange = (path: string, headers: Record<string, string> = {}) =>
  new LocalExchange({ method: 'GET', path, headers }, undefined)

test('isPretty: indents responses on request and for browsers and terminals', () => {
  const asked = ['true', '1', 'True', 'false', '0', 'foo'].map((value) => isPretty(exchange(`/x?pretty=${value}`)))
  assert.deepEqual(asked, [true, true, true, false, false, false])
  assert.equal(isPretty(exchange('/x', { 'user-agent': 'curl/8' })), true)
  assert.equal(isPretty(exchange('/x?pretty=false', { 'user-agent': 'curl/8' })), false)
  assert.equal(isPretty(exchange('/x?pretty=', { 'user-agent': 'Mozilla/5.0' })), true)
  assert.equal(isPretty(exchange('/x', { 'user-agent': 'kubectl/v1.30' })), false)
})

test('sendFailure: sends a form that the client accepts, with Retry-After', async () => {
  const failed = exchange('/x', { accept: 'application/yaml' })
  sendFailure(failed, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 429,
    details: { retryAfterSeconds: 3 },
  })
  const response = await failed.response
  assert.equal(response.status, 429)
  assert.equal(response.headers['retry-after'], '3')
  assert.equal(response.headers['content-type'], 'application/yaml')
})

test('sendFailure: sends JSON if no accepted form is supported', async () => {
  const failed = exchange('/x', { accept: 'text/html' })
  sendFailure(failed, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 401 })
  const response = await failed.response
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.headers['www-authenticate'], 'Bearer realm="kubernetes-master"')
})

test('sendFailure: writes the fields in the order of the API type', async () => {
  const failed = exchange('/x')
  sendFailure(failed, {
    code: 404,
    details: { kind: 'things', causes: [], name: 'a', group: 'example.com' },
    reason: 'NotFound',
    message: 'gone',
    status: 'Failure',
    metadata: {},
    apiVersion: 'v1',
    kind: 'Status',
  })
  const response = await failed.response
  assert.equal(
    JSON.stringify(await jsonOf(response)),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone","reason":"NotFound",' +
      '"details":{"name":"a","group":"example.com","kind":"things","causes":[]},"code":404}',
  )
})
