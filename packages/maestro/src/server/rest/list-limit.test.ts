import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MaestroError } from '../errors.js'
import { ListLimit } from './list-limit.js'

const isUnavailable = (error: unknown) => error instanceof MaestroError && error.httpStatus === 503

/** A list that is sent until it is ended. */
function unread() {
  const ends: (() => void)[] = []
  return { ends, send: () => new Promise<void>((resolve) => ends.push(resolve)) }
}

test('ListLimit: lists that one user does not read leave room for others', async () => {
  const limit = new ListLimit()
  const { ends, send } = unread()
  const lists = Array.from({ length: 40 }, () => limit.run('slow', send))
  assert.equal(ends.length, 8)
  await limit.run('other', async () => undefined)
  for (let index = 0; index < 40; index++) {
    ends[index]?.()
    await lists[index]
  }
})

test('ListLimit: refuses more lists than it can send, and more than a user should wait for', async () => {
  const limit = new ListLimit()
  const { ends, send } = unread()
  const lists = Array.from({ length: 32 }, () => limit.run(undefined, send))
  await assert.rejects(limit.run(undefined, send), isUnavailable)
  await assert.rejects(limit.run('other', send), isUnavailable)
  for (const end of ends) end()
  await Promise.all(lists)
  const waiting = Array.from({ length: 256 }, () => limit.run('slow', async () => undefined))
  await assert.rejects(limit.run('slow', send), isUnavailable)
  await Promise.all(waiting)
})
