import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher } from './batcher.js'

const item = (key: string, bytes = 1) => ({ key, bytes })

function recording(fail: (keys: string[]) => Error | undefined = () => undefined, parallel = 1) {
  const runs: string[][] = []
  const batcher = new Batcher<{ key: string; bytes: number }, string>({
    parallel,
    isItemProblem: (error) => (error as Error).message !== 'down',
    async run(items) {
      const keys = items.map(({ key }) => key)
      runs.push(keys)
      await new Promise(setImmediate)
      const error = fail(keys)
      if (error !== undefined) throw error
      return keys.map((key) => `${key} done`)
    },
  })
  return { batcher, runs }
}

test('Batcher: writes items that wait together in one batch, each with its result', async () => {
  const { batcher, runs } = recording()
  const results = await Promise.all(['a', 'b', 'c'].map((key) => batcher.submit(item(key))))
  assert.deepEqual(results, ['a done', 'b done', 'c done'])
  assert.deepEqual(runs, [['a', 'b', 'c']])
})

test('Batcher: keeps the order of items with one key, which are never in flight together', async () => {
  const { batcher, runs } = recording(undefined, 4)
  await Promise.all(['a', 'a', 'b', 'a'].map((key) => batcher.submit(item(key))))
  assert.deepEqual(runs, [['a', 'b'], ['a'], ['a']])
})

test('Batcher: splits batches that are too large', async () => {
  const { batcher, runs } = recording()
  await Promise.all(['a', 'b', 'c'].map((key) => batcher.submit(item(key, 3 * 1024 * 1024))))
  assert.deepEqual(runs, [['a', 'b'], ['c']])
})

test('Batcher: does not fail others for one bad item', async () => {
  const { batcher } = recording((keys) => (keys.includes('bad') ? new Error('bad item') : undefined))
  const results = await Promise.allSettled(['a', 'bad', 'b'].map((key) => batcher.submit(item(key))))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('Batcher: fails all items of a batch if the database is down, and writes again later', async () => {
  let down = true
  const { batcher, runs } = recording(() => (down ? new Error('down') : undefined))
  const results = await Promise.allSettled(['a', 'b'].map((key) => batcher.submit(item(key))))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(runs.length, 1)
  down = false
  assert.equal(await batcher.submit(item('a')), 'a done')
})

test('Batcher: sources take turns, each in order', async () => {
  const runs: string[][] = []
  const batcher = new Batcher<{ key: string; bytes: number }, string>({
    parallel: 1,
    maxItems: 4,
    flowOf: ({ key }) => key.slice(0, 1),
    isItemProblem: () => false,
    async run(items) {
      runs.push(items.map(({ key }) => key))
      await new Promise(setImmediate)
      return items.map(({ key }) => key)
    },
  })
  const keys = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'c1']
  assert.deepEqual(await Promise.all(keys.map((key) => batcher.submit(item(key)))), keys)
  assert.deepEqual(runs, [['a1', 'b1', 'c1', 'a2'], ['b2', 'a3', 'a4', 'a5'], ['a6']])
})

test('Batcher: refuses more than it can hold, but has room for others than those that have much', async () => {
  const MEBIBYTE = 1024 * 1024
  const batcher = new Batcher<{ key: string; bytes: number }, string>({
    flowOf: ({ key }) => key.slice(0, 1),
    isItemProblem: () => false,
    run: async (items) => items.map(({ key }) => key),
  })
  const submit = (source: string, count: number) =>
    Array.from({ length: count }, (_, index) => batcher.submit(item(`${source}${index}`, 4 * MEBIBYTE)))
  const [ofBusy, ofOther] = [submit('a', 40), submit('b', 1)]
  const accepted = (await Promise.allSettled(ofBusy)).filter(({ status }) => status === 'fulfilled').length
  assert.ok(accepted > 20 && accepted < 32, `${accepted} of one source were accepted`)
  assert.deepEqual(await Promise.all(ofOther), ['b0'])
  assert.deepEqual((await Promise.all(submit('a', 20))).length, 20, 'there is room again')
})
