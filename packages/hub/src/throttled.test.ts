import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Enqueue } from '@orrery/kube/controller'
import { FakeClock } from '@orrery/kube/testing'
import { throttled } from './throttled.js'

function start(pauseAfter: (ref: ObjectRef) => number) {
  const clock = new FakeClock()
  const woken: string[] = []
  let hand: Enqueue = () => undefined
  const wake = {
    informer: {} as Informer,
    resync: () => undefined,
    start(enqueue: Enqueue) {
      hand = enqueue
      return () => {
        hand = () => undefined
      }
    },
  }
  const stop = throttled(wake, clock, pauseAfter).start(({ name }) => woken.push(name))
  return { clock, stop, change: (name: string) => hand({ name }, 'fresh'), taken: () => woken.splice(0) }
}

test('throttled: the first change wakes at once, those in the pause after it wake once', () => {
  const { clock, change, taken } = start(() => 100)
  change('a')
  assert.deepEqual(taken(), ['a'])
  change('a')
  change('a')
  change('b')
  assert.deepEqual(taken(), ['b'])
  clock.advance(100)
  assert.deepEqual(taken(), ['a'])
  // That begins another pause, in which there is no change.
  clock.advance(100)
  change('a')
  assert.deepEqual(taken(), ['a'])
})

test('throttled: without a pause every change wakes, and none does after it is stopped', () => {
  const { clock, change, taken, stop } = start(({ name }) => (name === 'small' ? 0 : 100))
  change('small')
  change('small')
  change('large')
  change('large')
  assert.deepEqual(taken(), ['small', 'small', 'large'])
  stop()
  clock.advance(100)
  assert.deepEqual(taken(), [])
})
