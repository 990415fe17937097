import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { FakeClock } from '@orrery/kube/testing'
import { compareSequence } from '../codec/sequence.js'
import { LastingSequence } from './lasting-sequence.js'

/** State that a restart does not lose, and how often it was written. */
class TestState {
  values: Record<string, string> = {}
  writes = 0
  isDown = false

  async read(): Promise<Record<string, string>> {
    if (this.isDown) throw new Error('down')
    return { ...this.values }
  }

  async write(key: string, value: string): Promise<void> {
    if (this.isDown) throw new Error('down')
    this.writes += 1
    this.values[key] = value
  }
}

function started(state: TestState, clock: FakeClock, key = 'sequence.c1') {
  return new LastingSequence({ state, key, clock, log: silentLogger })
}

test('LastingSequence: continues after a restart with an earlier clock', async () => {
  const [state, clock] = [new TestState(), new FakeClock()]
  const before = started(state, clock)
  let last = await before.next()
  for (let count = 0; count < 5_000; count++) last = await before.next()
  clock.adjust(-3_600_000)
  assert.equal(compareSequence(await started(state, clock).next(), last), 1)
  assert.equal(compareSequence(await started(state, clock, 'sequence.other').next(), last), 1)
})

test('LastingSequence: writes once for the IDs of several seconds, and before the first is used', async () => {
  const [state, clock] = [new TestState(), new FakeClock()]
  const sequence = started(state, clock)
  const ids = await Promise.all(Array.from({ length: 100 }, () => sequence.next()))
  assert.equal(new Set(ids).size, 100)
  assert.equal(state.writes, 1)
  assert.equal(compareSequence(state.values['sequence.c1'] ?? '', ids.at(-1) ?? ''), 1)
  clock.advance(4_000)
  await sequence.next()
  assert.equal(state.writes, 1)
  clock.advance(20_000)
  const id = await sequence.next()
  assert.equal(state.writes, 2)
  assert.equal(compareSequence(state.values['sequence.c1'] ?? '', id), 1)
})

test('LastingSequence: uses the clock alone while the state cannot be read, and ignores values that are no IDs', async () => {
  const [state, clock] = [new TestState(), new FakeClock()]
  state.values = { other: 'not an ID' }
  state.isDown = true
  const sequence = started(state, clock)
  const first = await sequence.next()
  state.isDown = false
  assert.equal(compareSequence(await sequence.next(), first), 1)
  assert.equal(state.writes, 1)
})
