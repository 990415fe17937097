import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectRef } from '@orrery/kinds'
import type { Enqueue, Informer } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { paced } from './paced.js'

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
  const stop = paced(wake, clock, pauseAfter).start(({ name }) => woken.push(name))
  return { clock, stop, change: (name: string) => hand({ name }, 'fresh'), taken: () => woken.splice(0) }
}

test('the first change wakes at once, and those in the pause after it wake once', () => {
  const { clock, change, taken } = start(() => 100)
  change('a')
  assert.deepEqual(taken(), ['a'])
  change('a')
  change('a')
  change('b')
  assert.deepEqual(taken(), ['b'])
  clock.advance(100)
  assert.deepEqual(taken(), ['a'])
  // That began a pause of its own, in which nothing happens.
  clock.advance(100)
  change('a')
  assert.deepEqual(taken(), ['a'])
})

test('where there is no pause every change wakes, and after the end none does', () => {
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
