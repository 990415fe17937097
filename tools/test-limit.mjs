// Loaded into each file of tests before them: ends one that never ends, and says which test it was. Node's own limit
// is for whole files in Node 20, and ends them without a word on what they were at.
import { isMainThread } from 'node:worker_threads'

const limit = Number(process.env.ORRERY_TEST_LIMIT_MS)

// Processes that tests start may have been given the same options.
if (isMainThread && /\.test\.m?js$/.test(process.argv[1] ?? '')) {
  const { afterEach, beforeEach } = await import('node:test')
  const ends = new WeakMap()
  beforeEach((test) => {
    const end = setTimeout(() => {
      process.stderr.write(`this test has not ended after ${limit / 1_000} s: ${test.name}\n`)
      process.exit(1)
    }, limit)
    // A test that waits for nothing at all is found by Node itself, once nothing else keeps the process running.
    end.unref()
    ends.set(test, end)
  })
  afterEach((test) => clearTimeout(ends.get(test)))
}
