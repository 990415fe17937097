import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Enqueue, Wake } from '@orrery/kube/controller'
import { coalesced } from './coalesced.js'

function wakeByHand(): { wake: Wake; enqueue: Enqueue } {
  let started: Enqueue | undefined
  const wake = {
    start: (enqueue: Enqueue) => {
      started = enqueue
      return () => {
        started = undefined
      }
    },
  } as Wake
  return { wake, enqueue: (ref, urgency) => started?.(ref, urgency) }
}

/**
 * The keys that were enqueued. `count` resolves when there are this many: objects that came a moment later may be due
 * a moment later.
 */
function handedOut(wakes: readonly Wake[]) {
  const seen: string[] = []
  let conditionTexts: () => void = () => undefined
  const stops = wakes.map((wake) =>
    wake.start(({ name }, urgency) => {
      seen.push(`${urgency} ${name}`)
      conditionTexts()
    }),
  )
  return {
    seen,
    async count(wanted: number): Promise<void> {
      while (seen.length < wanted) {
        await new Promise<void>((resolve) => {
          conditionTexts = resolve
        })
      }
    },
    stop() {
      for (const stop of stops) stop()
    },
  }
}

test('coalesced: enqueues at once outside of a pause', () => {
  const { wake, enqueue } = wakeByHand()
  const { wakes, pause } = coalesced([wake], 60_000)
  const { seen, stop } = handedOut(wakes)
  pause({ name: 'b' })
  enqueue({ name: 'a' }, 'fresh')
  enqueue({ name: 'b' }, 'fresh')
  assert.deepEqual(seen, ['fresh a'])
  stop()
})

test('coalesced: enqueues an object once for all wakes in a pause, with the highest priority of them', async () => {
  const [one, two] = [wakeByHand(), wakeByHand()]
  const { wakes, pause } = coalesced([one.wake, two.wake], 5)
  const { seen, count, stop } = handedOut(wakes)
  pause({ name: 'a' })
  pause({ name: 'b' })
  one.enqueue({ name: 'a' }, 'resync')
  two.enqueue({ name: 'a' }, 'fresh')
  one.enqueue({ name: 'a' }, 'resync')
  one.enqueue({ name: 'b' }, 'resync')
  assert.deepEqual(seen, [])
  await count(2)
  assert.deepEqual(seen, ['fresh a', 'resync b'])
  two.enqueue({ name: 'a' }, 'fresh')
  await count(3)
  assert.deepEqual(seen, ['fresh a', 'resync b', 'fresh a'])
  stop()
})

test('coalesced: enqueues nothing after the stop', async () => {
  const { wake, enqueue } = wakeByHand()
  const { wakes, pause } = coalesced([wake], 1)
  const { seen, stop } = handedOut(wakes)
  pause({ name: 'a' })
  enqueue({ name: 'a' }, 'fresh')
  stop()
  await setTimeout(5)
  assert.deepEqual(seen, [])
})
