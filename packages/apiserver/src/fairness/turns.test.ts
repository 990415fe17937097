import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns, Turns } from './turns.js'

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('turns: users alternate however much work one of them has', async () => {
  const turns = new Turns()
  const order: string[] = []
  await new Promise<void>((resolve) => {
    for (const name of ['a1', 'a2', 'a3', 'b1']) {
      let slices = 2
      turns.run(name[0] as string, () => {
        order.push(name)
        if (--slices > 0) return true
        if (order.length === 8) resolve()
        return false
      })
    }
  })
  assert.deepEqual(order, ['a1', 'b1', 'a1', 'b1', 'a2', 'a2', 'a3', 'a3'])
  assert.equal(turns.waiting, 0)
})

test('turns: the event loop turns between rounds', async () => {
  const turns = new Turns()
  let loops = 0
  let isOver = false
  const count = () => {
    loops++
    if (!isOver) setTimeout(count)
  }
  count()
  await Promise.all(Array.from({ length: 20 }, (_, user) => turns.take(`user ${user}`).then(() => work(10))))
  isOver = true
  assert.ok(loops > 10, `it turned ${loops} times while twenty turns of ten milliseconds were taken`)
})

test('turns: what follows a turn that was taken runs alone', async () => {
  const turns = new Turns()
  let running = 0
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      await turns.take('one')
      assert.equal(running++, 0)
      await Promise.resolve()
      running--
    }),
  )
})

test('inTurns: handles every item once, and rejects with what goes wrong', async () => {
  const items = Array.from({ length: 1234 }, (_, index) => index)
  const seen: number[] = []
  await inTurns('one', items, (item) => {
    seen.push(item)
    return item % 100 === 0 ? Promise.resolve() : undefined
  })
  assert.deepEqual(seen, items)
  await assert.rejects(
    inTurns('one', items, (item) => {
      if (item === 700) throw new Error('no')
    }),
    /^Error: no$/,
  )
})
