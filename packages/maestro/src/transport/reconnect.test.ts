import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { Restart, repeat } from './reconnect.js'

test('repeat: doubles the delay from 200 ms to 30 s, and starts over after a healthy connection', async () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const starts: number[] = []
  let lifetime = 0
  const running = repeat({
    clock,
    random: () => 1,
    signal: stop.signal,
    async attempt() {
      starts.push(clock.elapsed())
      clock.advance(lifetime)
      throw new Error('lost')
    },
    onFailed: () => undefined,
  })
  const next = async () => {
    const count = starts.length
    const options = { intervalMilliseconds: 0, meanwhile: () => clock.advance(100) }
    await eventually('an attempt', () => starts.length > count, options)
    return (starts.at(-1) as number) - (starts.at(-2) as number)
  }
  await eventually('the first attempt', () => starts.length === 1)
  const delays = [await next(), await next(), await next()]
  assert.deepEqual(delays, [200, 400, 800])
  for (let i = 0; i < 6; i++) await next()
  assert.equal(await next(), 30_000)
  lifetime = 10_000
  await next()
  lifetime = 0
  assert.equal(await next(), 10_200)
  stop.abort()
  await running
})

test('repeat: tries again at once after a restart', async () => {
  const stop = new AbortController()
  let attempts = 0
  await repeat({
    clock: new FakeClock(),
    random: () => 1,
    signal: stop.signal,
    async attempt() {
      if (++attempts === 3) stop.abort()
      throw new Restart('new certificates')
    },
    onFailed: () => undefined,
  })
  assert.equal(attempts, 3)
})
