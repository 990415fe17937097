import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { UpdateLimit } from './update-limit.js'

suite('UpdateLimit', () => {
  test('lets ten updates through at once, then one every ten seconds', () => {
    const clock = new FakeClock()
    const limit = new UpdateLimit(clock)
    /** The waits before each of several updates that do not wait. */
    const update = (count: number) =>
      Array.from({ length: count }, () => {
        const wait = limit.wait('c1/hello')
        limit.count('c1/hello')
        return wait
      })
    assert.deepEqual(update(10), Array(10).fill(0))
    assert.equal(limit.wait('c1/hello'), 10_000)
    clock.advance(4_000)
    assert.equal(limit.wait('c1/hello'), 6_000)
    clock.advance(6_000)
    assert.deepEqual(update(1), [0])
    assert.equal(limit.wait('c1/hello'), 10_000)
    clock.advance(100_000)
    assert.deepEqual(update(10), Array(10).fill(0))
  })

  test('counts each add-on on its own, and forgets', () => {
    const limit = new UpdateLimit(new FakeClock())
    for (let count = 0; count < 10; count++) limit.count('c1/hello')
    assert.equal(limit.wait('c2/hello'), 0)
    assert.equal(limit.wait('c1/hello'), 10_000)
    limit.forget('c1/hello')
    assert.equal(limit.wait('c1/hello'), 0)
  })
})
