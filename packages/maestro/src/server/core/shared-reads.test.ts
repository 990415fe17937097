import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedReads } from './shared-reads.js'

interface Row {
  readonly key: string
  readonly value: number
}

function recording(rows: readonly Row[], fail: (keys: readonly string[]) => unknown = () => undefined) {
  const queries: (readonly string[])[] = []
  const read = sharedReads<Row>(
    async (keys) => {
      queries.push(keys)
      const error = fail(keys)
      if (error !== undefined) throw error
      return rows.filter(({ key }) => keys.includes(key))
    },
    ({ key }) => key,
  )
  return { read, queries }
}

test('sharedReads: reads keys that are wanted at the same time with one query, and each once', async () => {
  const rows = [
    { key: 'a', value: 1 },
    { key: 'b', value: 2 },
    { key: 'a', value: 3 },
  ]
  const { read, queries } = recording(rows)
  const found = await Promise.all(['a', 'b', 'c', 'a'].map(read))
  assert.deepEqual(
    found.map((some) => some.map(({ value }) => value)),
    [[1, 3], [2], [], [1, 3]],
  )
  assert.deepEqual(queries, [['a', 'b', 'c']])
})

test('sharedReads: limits the keys of a query', async () => {
  const { read, queries } = recording([])
  await Promise.all(Array.from({ length: 20 }, (_, index) => read(String(index))))
  assert.deepEqual(
    queries.map(({ length }) => length),
    [16, 4],
  )
})

test('sharedReads: a key that the database does not take fails alone', async () => {
  const refused = Object.assign(new Error('invalid byte sequence'), { code: '22021' })
  const { read } = recording([{ key: 'a', value: 1 }], (keys) => (keys.includes('bad') ? refused : undefined))
  const [good, bad] = await Promise.allSettled([read('a'), read('bad')])
  assert.deepEqual(good, { status: 'fulfilled', value: [{ key: 'a', value: 1 }] })
  assert.deepEqual(bad, { status: 'rejected', reason: refused })
})

test('sharedReads: all reads fail while the database is down, and are not repeated', async () => {
  const down = new Error('connection refused')
  const { read, queries } = recording([], () => down)
  const results = await Promise.allSettled([read('a'), read('b')])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(queries.length, 1)
})
