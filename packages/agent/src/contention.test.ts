import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requeueAfter } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { Contention } from './contention.js'

/** Two writers that want one text otherwise, for so many seconds. */
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

test('two writers that see it otherwise write less and less often', () => {
  assert.ok(quarrel(10) <= 14, `${quarrel(10)} writes in 10 s`)
  assert.ok(quarrel(3_600) <= 60, `${quarrel(3_600)} writes in an hour`)
})

test('news is written at once, whoever was contradicted before', () => {
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

test('what was not written was not contradicted', () => {
  const contention = new Contention(new FakeClock())
  for (let round = 0; round < 10; round++) {
    assert.equal(contention.turn('k').settle({ text: 'there' }, { text: 'mine' }).text, 'mine')
  }
})
