import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DefaultHeaders, requestHead } from './request-head.js'

const standing: DefaultHeaders = {
  always: 'host: h\r\n',
  authorization: 'authorization: Bearer t\r\n',
  impersonation: 'impersonate-user: jane\r\n',
  targetPrefix: '/prefix',
}

const lines = (request: Parameters<typeof requestHead>[0], gzip = false) =>
  requestHead(request, standing, gzip).split('\r\n')

test('requestHead: has the request line, standing headers, own headers, and an empty line', () => {
  assert.deepEqual(lines({ method: 'GET', path: '/api?limit=1', headers: { accept: 'application/json' } }), [
    'GET /prefix/api?limit=1 HTTP/1.1',
    'host: h',
    'authorization: Bearer t',
    'impersonate-user: jane',
    'accept: application/json',
    '',
    '',
  ])
})

test('requestHead: sends a header with several values several times', () => {
  const sent = lines({ method: 'GET', path: '/', headers: { 'impersonate-group': ['a', 'b'] } })
  assert.deepEqual(
    sent.filter((line) => line.startsWith('impersonate-group')),
    ['impersonate-group: a', 'impersonate-group: b'],
  )
})

test('requestHead: own credentials replace standing ones', () => {
  const sent = lines({ method: 'GET', path: '/', headers: { Authorization: 'Bearer own', 'Impersonate-User': 'joe' } })
  assert.deepEqual(sent.slice(2, -2), ['Authorization: Bearer own', 'Impersonate-User: joe'])
})

test('requestHead: counts the length in bytes, and sends it if there could be a body', () => {
  assert.ok(lines({ method: 'POST', path: '/', body: 'ü' }).includes('content-length: 2'))
  assert.ok(lines({ method: 'PUT', path: '/', body: Buffer.from('abc') }).includes('content-length: 3'))
  assert.ok(lines({ method: 'POST', path: '/' }).includes('content-length: 0'))
  assert.ok(lines({ method: 'DELETE', path: '/', body: '{}' }).includes('content-length: 2'))
  assert.ok(!lines({ method: 'GET', path: '/' }).some((line) => line.startsWith('content-length')))
})

test('requestHead: ignores connection headers of the caller', () => {
  const headers = { Host: 'evil', 'Content-Length': '99', 'transfer-encoding': 'chunked', Connection: 'close' }
  assert.deepEqual(lines({ method: 'GET', path: '/', headers }), lines({ method: 'GET', path: '/' }))
})

test('requestHead: requests compression only if wanted', () => {
  assert.ok(lines({ method: 'GET', path: '/' }, true).includes('accept-encoding: gzip'))
  assert.ok(!lines({ method: 'GET', path: '/' }, false).includes('accept-encoding: gzip'))
})

test('requestHead: no input can start another header or request', () => {
  const text = fc.string({ unit: 'binary' })
  const value = fc.oneof(
    text,
    text.map((some) => `x\r\nevil: ${some}`),
    text.map((some) => `${some}\n\nGET / HTTP/1.1`),
  )
  fc.assert(
    fc.property(value, value, value, value, (method, path, name, content) => {
      let head: string
      try {
        head = requestHead({ method, path: `/${path}`, headers: { [name]: content } }, standing, false)
      } catch (error) {
        assert.ok(error instanceof TypeError)
        return
      }
      assert.ok(head.split(/\r|\n/).filter((line) => line !== '').length <= 6)
      assert.ok(head.endsWith('\r\n\r\n') && head.indexOf('\r\n\r\n') === head.length - 4)
    }),
  )
})

test('requestHead: names what it rejects, but does not quote possible secrets', () => {
  assert.throws(() => requestHead({ method: 'GET', path: 'api' }, standing, false), /"api" is not a valid path/)
  assert.throws(() => requestHead({ method: 'GET', path: '/a b' }, standing, false), /percent-encoded/)
  assert.throws(() => requestHead({ method: 'get', path: '/' }, standing, false), /"get" is not a valid method/)
  const headers = { authorization: 'Bearer hush\n' }
  assert.throws(
    () => requestHead({ method: 'GET', path: '/', headers }, standing, false),
    (error: Error) => {
      assert.ok(error.message.includes('authorization') && !error.message.includes('hush'))
      return true
    },
  )
})
