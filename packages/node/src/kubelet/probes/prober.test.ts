import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import type { Begin } from './check.js'
import { FINE } from './check-result.js'
import { Prober } from './prober.js'

test('Prober: the time limit of a check begins with the check, not while it waits for its turn', async () => {
  const clock = new FakeClock(new Date(0))
  let begin: Begin | undefined
  let end: (() => void) | undefined
  const results: boolean[] = []
  const prober = new Prober({
    clock,
    probe: { timeoutSeconds: 1 },
    initially: false,
    startedAt: 0,
    check: async (given) => {
      begin = given
      await new Promise<void>((resolve) => {
        end = resolve
      })
      return FINE
    },
    onChange: (ok) => results.push(ok),
    onFailure: (message) => assert.fail(message),
  })
  clock.advance(1)
  clock.advance(60_000)
  const signal = begin?.()
  assert.equal(signal?.aborted, false)
  clock.advance(1_001)
  assert.equal(signal?.aborted, true)
  end?.()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(results, [true])
  prober.stop()
})
