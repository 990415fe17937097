import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyQueue } from './body-queue.js'

function open() {
  const heard: string[] = []
  const hear = (what: string) => () => {
    heard.push(what)
  }
  const source = { pause: hear('pause'), resume: hear('resume'), cancel: hear('cancel'), expectAll: hear('all') }
  return { heard, body: new BodyQueue(source) }
}

const piece = (text: string) => Buffer.from(text)

test('BodyQueue: delivers chunks in order, before and after a reader waits', async () => {
  const { body } = open()
  body.push(piece('a'))
  body.push(piece('b'))
  const read: string[] = []
  const reading = (async () => {
    for await (const some of body) read.push(some.toString())
  })()
  await new Promise(setImmediate)
  body.push(piece('c'))
  body.end()
  await reading
  assert.deepEqual(read, ['a', 'b', 'c'])
})

test('BodyQueue: returns the whole body at any time', async () => {
  for (const early of [true, false]) {
    const { body } = open()
    const asked = early ? body.bytes() : undefined
    body.push(piece('a'))
    body.push(piece('b'))
    body.end()
    assert.equal(String(await (asked ?? body.bytes())), 'ab')
  }
  const { body } = open()
  body.end()
  assert.equal((await body.bytes()).length, 0)
})

test('BodyQueue: a slow reader pauses its own connection', async () => {
  const { body, heard } = open()
  const large = Buffer.alloc(200 * 1024)
  body.push(large)
  assert.deepEqual(heard, [])
  body.push(large)
  assert.deepEqual([heard, body.paused], [['pause'], true])
  await body.next()
  assert.deepEqual(heard, ['pause'])
  await body.next()
  assert.deepEqual([heard, body.paused], [['pause', 'resume'], false])
})

test('BodyQueue: does not pause for a reader of the whole body', async () => {
  const { body, heard } = open()
  const large = Buffer.alloc(300 * 1024)
  body.push(large)
  const all = body.bytes()
  body.push(large)
  body.push(large)
  body.end()
  assert.equal((await all).length, 3 * large.length)
  assert.deepEqual(heard, ['pause', 'all', 'resume'])
})

test('BodyQueue: delivers what came before an error', async () => {
  const { body } = open()
  body.push(piece('a'))
  body.fail(new Error('reset'))
  assert.equal(String((await body.next()).value), 'a')
  await assert.rejects(body.next(), { message: 'reset' })
  await assert.rejects(body.bytes(), { message: 'reset' })
})

test('BodyQueue: an error reaches a waiting reader', async () => {
  for (const wait of [(body: BodyQueue) => body.next(), (body: BodyQueue) => body.bytes()]) {
    const { body } = open()
    const waiting = wait(body)
    body.fail(new Error('reset'))
    await assert.rejects(waiting, { message: 'reset' })
  }
})

test('BodyQueue: cancels once when the reader stops', async () => {
  const { body, heard } = open()
  body.push(piece('a'))
  body.push(piece('b'))
  for await (const _ of body) break
  await body.return()
  body.push(piece('c'))
  assert.deepEqual(heard, ['cancel'])
  assert.deepEqual(await body.next(), { value: undefined, done: true })
})

test('BodyQueue: an abort drops unread data', async () => {
  const { body } = open()
  body.push(piece('a'))
  body.abort(new Error('given up'))
  await assert.rejects(body.next(), { message: 'given up' })
})
