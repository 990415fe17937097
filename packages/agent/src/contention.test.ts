import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requeueAfter } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { Contention } from './contention.js'

/** Two agents that write different texts to one object for some seconds. Returns the number of writes. */
function quarrel(seconds: number): number {
  const clock = new FakeClock()
  const writers = ['a', 'b'].map((text) => ({ text, contention: new Contention(clock) }))
  let current: { readonly text: string } | undefined
  let writes = 0
  for (let tick = 0; tick < seconds * 10; tick++, clock.advance(100)) {
    for (const { text, contention } of writers) {
      const turn = contention.turn('k')
      const next = turn.settle(current, { text })
      if (next !== current) writes++
      current = next
      turn.done()
    }
  }
  return writes
}

test('Contention: two writers that disagree write less and less often', () => {
  assert.ok(quarrel(10) <= 14, `${quarrel(10)} writes in 10 s`)
  assert.ok(quarrel(3_600) <= 60, `${quarrel(3_600)} writes in an hour`)
})

test('Contention: writes a new value at once, even if the last one was overwritten', () => {
  const clock = new FakeClock()
  const contention = new Contention(clock)
  const write = (text: string) => {
    const turn = contention.turn('k')
    const next = turn.settle({ text: 'of another' }, { text })
    turn.done()
    return [next.text, turn.again]
  }
  for (let round = 0; round < 5; round++) write('mine')
  assert.deepEqual(write('mine'), ['of another', requeueAfter(1_000)])
  assert.deepEqual(write('news'), ['news', undefined])
})

test('Contention: does not count a value that was never written as overwritten', () => {
  const contention = new Contention(new FakeClock())
  for (let round = 0; round < 10; round++) {
    assert.equal(contention.turn('k').settle({ text: 'there' }, { text: 'mine' }).text, 'mine')
  }
})
