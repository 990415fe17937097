// Loaded into each process of tests before them: ends a test that never ends, and prints which one it was. Node's own
// limit is for whole processes in Node 20, and ends them without a word on what they were at.
import { isMainThread } from 'node:worker_threads'
import { noteTest } from './times.mjs'

const limit = Number(process.env.ORRERY_TEST_LIMIT_MS)

// Processes that tests start may have been given the same options.
if (isMainThread && /\.test\.m?js$/.test(process.argv[1] ?? '')) {
  const { afterEach, beforeEach } = await import('node:test')
  const ends = new WeakMap()
  beforeEach((test) => {
    const noted = noteTest(test.name)
    const end = setTimeout(() => {
      process.stderr.write(`this test has not ended after ${limit / 1_000} s: ${test.name}\n`)
      process.exit(1)
    }, limit)
    // A test that waits for nothing at all is found by Node itself, once nothing else keeps the process running.
    end.unref()
    ends.set(test, () => {
      clearTimeout(end)
      noted()
    })
  })
  afterEach((test) => ends.get(test)?.())
}
