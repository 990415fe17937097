import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outbox } from './outbox.js'

interface Change {
  readonly id: string
  readonly version: number
  readonly isDeletion?: boolean
  readonly size?: number
  readonly source?: string
}

function outbox(options: { maxBytes?: number; reload?: (ids: readonly string[]) => Promise<Change[]> } = {}) {
  const sent: string[] = []
  const state = { isFull: false, errors: [] as unknown[], overflows: 0 }
  const box = new Outbox<Change>({
    send({ id, version, isDeletion }) {
      sent.push(`${id}${isDeletion ? ' deleted' : ` v${version}`}`)
      return !state.isFull
    },
    reload: options.reload ?? (() => Promise.resolve([])),
    isDeletion: ({ isDeletion = false }) => isDeletion,
    isNewer: (change, other) => change.isDeletion === true || change.version >= other.version,
    sizeOf: ({ size = 1 }) => size,
    compact: (change) => (change.id === 'read again' ? undefined : { ...change, size: 1 }),
    flowOf: ({ source = '' }) => source,
    onError: (error) => state.errors.push(error),
    onOverflow: () => {
      state.overflows += 1
    },
    ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
  })
  return { box, sent, state }
}

test('Outbox: sends the newest version of a bundle to a receiver that was full', () => {
  const { box, sent, state } = outbox()
  state.isFull = true
  for (const version of [1, 2, 3, 2]) box.push({ id: 'a', version })
  box.push({ id: 'b', version: 1 })
  assert.deepEqual(sent, ['a v1'])
  state.isFull = false
  box.resume()
  assert.deepEqual(sent, ['a v1', 'a v3', 'b v1'])
  assert.equal(box.size, 0)
})

test('Outbox: lets deletions and other changes take turns', () => {
  const { box, sent, state } = outbox()
  state.isFull = true
  box.push({ id: 'x', version: 1 })
  for (const id of ['d1', 'd2', 'd3']) box.push({ id, version: 1, isDeletion: true })
  for (const id of ['c1', 'c2']) box.push({ id, version: 1 })
  state.isFull = false
  box.resume()
  assert.deepEqual(sent, ['x v1', 'd1 deleted', 'c1 v1', 'd2 deleted', 'c2 v1', 'd3 deleted'])
})

test('Outbox: sources take turns, also those whose changes were dropped to save memory', async () => {
  const changeOf = (id: string) => ({ id, version: 1, size: 10, source: id.slice(0, 1) })
  const { box, sent, state } = outbox({ maxBytes: 30, reload: async (ids) => ids.map(changeOf) })
  state.isFull = true
  const ids = ['a0', ...Array.from({ length: 40 }, (_, index) => `a${index + 1}`), 'b1', 'b2']
  for (const id of ids) box.push(changeOf(id))
  state.isFull = false
  box.resume()
  await new Promise(setImmediate)
  assert.equal(sent.length, ids.length)
  assert.ok(sent.indexOf('b1 v1') < 8 && sent.indexOf('b2 v1') < 12, `sent ${sent}`)
})

test('Outbox: a change that is dropped while an older version is read is read again', async () => {
  let version = 1
  const { box, sent, state } = outbox({
    maxBytes: 10,
    reload: async (ids) => ids.map((id) => ({ id, version, size: 10 })),
  })
  state.isFull = true
  for (const id of ['x', 'a', 'b']) box.push({ id, version, size: 10 })
  state.isFull = false
  box.resume()
  state.isFull = true
  for (const id of ['y', 'c']) box.push({ id, version, size: 10 })
  box.push({ id: 'b', version: 2, size: 10 })
  version = 2
  state.isFull = false
  box.resume()
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  assert.equal(sent.filter((one) => one.startsWith('b')).at(-1), 'b v2')
  assert.equal(box.size, 0)
})

test('Outbox: a deletion replaces the pending version of its bundle', () => {
  const { box, sent, state } = outbox()
  state.isFull = true
  box.push({ id: 'x', version: 1 })
  box.push({ id: 'a', version: 1 })
  box.push({ id: 'a', version: 1, isDeletion: true })
  state.isFull = false
  box.resume()
  assert.deepEqual(sent, ['x v1', 'a deleted'])
})

test('Outbox: reads bundles again that it dropped to save memory', async () => {
  const reloaded: string[][] = []
  const reload = async (ids: readonly string[]) => {
    reloaded.push([...ids])
    return ids.filter((id) => id !== 'gone').map((id) => ({ id, version: 7 }))
  }
  const { box, sent, state } = outbox({ maxBytes: 10, reload })
  state.isFull = true
  for (const id of ['first', 'a', 'b', 'gone', 'c']) box.push({ id, version: 1, size: 6 })
  box.push({ id: 'c', version: 2, size: 1 })
  state.isFull = false
  box.resume()
  await new Promise(setImmediate)
  assert.deepEqual(sent, ['first v1', 'a v1', 'c v2', 'b v7'])
  assert.deepEqual(reloaded, [['b', 'gone']])
  assert.equal(box.size, 0)
})

test('Outbox: keeps deletions in a smaller form that cannot be read again', async () => {
  const reload = async (ids: readonly string[]) => ids.map((id) => ({ id, version: 1, isDeletion: true }))
  const { box, sent, state } = outbox({ maxBytes: 10, reload })
  state.isFull = true
  for (const id of ['first', 'a', 'b', 'c', 'read again']) box.push({ id, version: 1, isDeletion: true, size: 8 })
  state.isFull = false
  box.resume()
  await new Promise(setImmediate)
  assert.deepEqual(sent, ['first deleted', 'a deleted', 'b deleted', 'c deleted', 'read again deleted'])
  assert.equal(state.overflows, 0)
  state.isFull = true
  for (let index = 0; index < 60; index++) box.push({ id: `d${index}`, version: 1, isDeletion: true, size: 8 })
  assert.ok(state.overflows > 0)
})

test('Outbox: gives room to a reader of many changes only when little is pending', async () => {
  const { box, state } = outbox()
  await box.room()
  state.isFull = true
  for (let index = 0; index < 40; index++) box.push({ id: String(index), version: 1 })
  let hasRoom = false
  const room = box.room().then(() => {
    hasRoom = true
  })
  await new Promise(setImmediate)
  assert.equal(hasRoom, false)
  state.isFull = false
  box.resume()
  await room
})

test('Outbox: reports what it could not read again, and sends nothing after it was closed', async () => {
  const { box, sent, state } = outbox({ maxBytes: 1, reload: () => Promise.reject(new Error('down')) })
  state.isFull = true
  for (const id of ['a', 'b', 'c']) box.push({ id, version: 1 })
  state.isFull = false
  box.resume()
  await new Promise(setImmediate)
  assert.equal(state.errors.length, 1)
  box.close()
  box.push({ id: 'd', version: 1 })
  assert.deepEqual(sent, ['a v1', 'b v1'])
})
