import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { jsonOf } from '../testing/path-client.fixture.js'
import { LocalExchange } from './in-process.js'

const request = (signal?: AbortSignal) => ({ method: 'GET', path: '/', ...(signal !== undefined && { signal }) })

test('LocalExchange: returns the whole response with additional headers', async () => {
  const exchange = new LocalExchange(request(), undefined)
  exchange.extraHeaders.Warning = ['one']
  exchange.reply(200, { 'Content-Type': 'application/json' }, Buffer.from('{"a":1}'))
  const response = await exchange.response
  assert.deepEqual(response.headers, { warning: ['one'], 'content-type': 'application/json' })
  assert.deepEqual(await jsonOf(response), { a: 1 })
})

test('LocalExchange: leaves no listeners on a long-lived signal', async () => {
  const { signal } = new AbortController()
  const exchange = new LocalExchange(request(signal), undefined)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  exchange.reply(200, {}, Buffer.from('x'))
  await (await exchange.response).bytes()
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('LocalExchange: ends a stream for writer and reader when its signal is aborted', async () => {
  const stop = new AbortController()
  const exchange = new LocalExchange(request(stop.signal), undefined)
  const sink = exchange.stream(200, {})
  let closed = false
  sink.onClose(() => {
    closed = true
  })
  sink.write(Buffer.from('x'))
  stop.abort()
  assert.equal(closed, true)
  assert.equal(sink.write(Buffer.from('y')), true)
  await assert.rejects((await exchange.response).bytes(), { name: 'AbortError' })
})

test('LocalExchange: pauses the writer until a slow reader catches up', async () => {
  const exchange = new LocalExchange(request(), undefined)
  const sink = exchange.stream(200, {})
  let drained = 0
  sink.onDrain(() => drained++)
  assert.equal(sink.write(Buffer.alloc(64 * 1024)), false)
  sink.end()
  for await (const chunk of (await exchange.response).body) assert.equal(chunk.length, 64 * 1024)
  assert.equal(drained, 1)
})

test('LocalExchange: refuses a body over the limit and answers aborted requests', async () => {
  const exchange = new LocalExchange({ method: 'POST', path: '/', body: '12345' }, undefined)
  await assert.rejects(exchange.body(4), /limit is 4/)
  assert.equal((await exchange.body(5)).toString(), '12345')
  exchange.destroy()
  assert.equal((await exchange.response).status, 500)
})
