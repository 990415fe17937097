import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { Followers } from './followers.js'

const never = new AbortController().signal
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function waiting(followers: Followers, count: number): { readonly continued: number } {
  const state = { continued: 0 }
  for (let one = 0; one < count; one++) void followers.next(never).then(() => state.continued++)
  return state
}

test('Followers: few continue at each notification', async () => {
  const followers = new Followers(new FakeClock())
  const first = waiting(followers, 20)
  followers.notify()
  await settled()
  assert.equal(first.continued, 20)
  const second = waiting(followers, 20)
  await settled()
  assert.equal(second.continued, 0)
  followers.notify()
  await settled()
  assert.equal(second.continued, 20)
})

test('Followers: many continue in batches, however often they are notified', async () => {
  const clock = new FakeClock()
  const followers = new Followers(clock)
  const state = waiting(followers, 120)
  for (let time = 0; time < 1_000; time++) followers.notify()
  await settled()
  assert.equal(state.continued, 50)
  clock.advance(10)
  await settled()
  assert.equal(state.continued, 100)
  clock.advance(10)
  await settled()
  assert.equal(state.continued, 120)
})

test('Followers: one that is aborted continues at once', async () => {
  const followers = new Followers(new FakeClock())
  const controller = new AbortController()
  const ended = followers.next(controller.signal)
  controller.abort()
  await ended
})
