import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns, Turns } from './turns.js'

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('Turns: alternates users however much work one of them has', async () => {
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

test('Turns: lets the event loop run between rounds', async () => {
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

test('Turns: runs what follows a taken turn alone', async () => {
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

test('Turns: starts the work of a few users at a time and completes all of it', async () => {
  const turns = new Turns()
  let begun = 0
  let most = 0
  let over = 0
  const users = 100
  await new Promise<void>((resolve) => {
    for (let user = 0; user < users; user++) {
      let slices = 3
      turns.run(`user ${user}`, () => {
        if (slices === 3) begun++
        most = Math.max(most, begun)
        if (--slices > 0) return true
        begun--
        if (++over === users) resolve()
        return false
      })
    }
  })
  assert.ok(most <= 32, `work of ${most} users had begun`)
  assert.equal(turns.waiting, 0)
})

test('Turns: runs work that a slice adds', async () => {
  const turns = new Turns()
  await new Promise<void>((resolve) => {
    turns.run('one', () => {
      turns.run('one', () => {
        resolve()
        return false
      })
      return false
    })
  })
})

test('Turns: gives long work a share of the time under load', async () => {
  const turns = new Turns()
  let rounds = 0
  let spent = 0
  const start = performance.now()
  await new Promise<void>((resolve) => {
    const busy = () => {
      work(30)
      if (++rounds < 10) setImmediate(busy)
    }
    setImmediate(busy)
    turns.run('one', () => {
      const before = performance.now()
      work(1)
      spent += performance.now() - before
      if (rounds < 10) return true
      resolve()
      return false
    })
  })
  const share = spent / (performance.now() - start)
  assert.ok(share > 0.15, `it got ${Math.round(share * 100)} % of the time`)
})

test('inTurns: handles every item once and rejects with the first error', async () => {
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
