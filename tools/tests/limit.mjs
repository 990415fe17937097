// Loaded into each test process first: ends a test that hangs, and prints its name, as for a test that ends the process.
// Node 20's own limit is for whole processes, and does not print it.
import { isMainThread } from 'node:worker_threads'
import { noteTest } from './times.mjs'
import { loadRunner } from './tracking.mjs'

const limit = Number(process.env.ORRERY_TEST_LIMIT_MS)

// Processes that tests start may have inherited the same options.
if (isMainThread && /\.test\.m?js$/.test(process.argv[1] ?? '')) {
  const ends = new Map()
  const { afterEach, beforeEach } = await loadRunner(() => [...ends.keys()].map(({ name }) => name))
  beforeEach((test) => {
    const noted = noteTest(test.name)
    const end = setTimeout(() => {
      process.stderr.write(`this test has not ended after ${limit / 1_000} s: ${test.name}\n`)
      process.exit(1)
    }, limit)
    // Node itself detects a test that waits for nothing, once nothing else keeps the process running.
    end.unref()
    ends.set(test, () => {
      clearTimeout(end)
      noted()
    })
  })
  afterEach((test) => {
    ends.get(test)?.()
    ends.delete(test)
  })
  process.once('exit', () => {
    for (const { name, fullName } of ends.keys()) process.stderr.write(`this test has not ended: ${fullName ?? name}\n`)
  })
}
