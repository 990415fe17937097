import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { LocalExchange } from './in-process.js'

const request = (signal?: AbortSignal) => ({ method: 'GET', path: '/', ...(signal !== undefined && { signal }) })

test('a reply is whole, with the headers of whoever added some', async () => {
  const exchange = new LocalExchange(request(), undefined)
  exchange.extraHeaders.Warning = ['one']
  exchange.reply(200, { 'Content-Type': 'application/json' }, Buffer.from('{"a":1}'))
  const response = await exchange.response
  assert.deepEqual(response.headers, { warning: ['one'], 'content-type': 'application/json' })
  assert.deepEqual(await response.json(), { a: 1 })
})

test('a long-lived signal keeps nothing of requests that are over', async () => {
  const { signal } = new AbortController()
  const exchange = new LocalExchange(request(signal), undefined)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  exchange.reply(200, {}, Buffer.from('x'))
  await (await exchange.response).bytes()
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a signal that has been given ends a stream before it starts', async () => {
  const exchange = new LocalExchange(request(AbortSignal.abort()), undefined)
  const sink = exchange.stream(200, {})
  let closed = false
  sink.onClose(() => {
    closed = true
  })
  assert.equal(closed, true)
  assert.equal(sink.write(Buffer.from('x')), true)
  assert.equal((await (await exchange.response).bytes()).length, 0)
})

test('a reader that falls behind holds the writer up until it catches up', async () => {
  const exchange = new LocalExchange(request(), undefined)
  const sink = exchange.stream(200, {})
  let drained = 0
  sink.onDrain(() => drained++)
  assert.equal(sink.write(Buffer.alloc(64 * 1024)), false)
  sink.end()
  for await (const chunk of (await exchange.response).body) assert.equal(chunk.length, 64 * 1024)
  assert.equal(drained, 1)
})

test('a body over the limit is refused, and a request that is cut off still has an answer', async () => {
  const exchange = new LocalExchange({ method: 'POST', path: '/', body: '12345' }, undefined)
  await assert.rejects(exchange.body(4), /limit is 4/)
  assert.equal((await exchange.body(5)).toString(), '12345')
  exchange.destroy()
  assert.equal((await exchange.response).status, 500)
})
