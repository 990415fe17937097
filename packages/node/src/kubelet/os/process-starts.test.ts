import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProcessStarts } from './process-starts.js'

/** Blocks the thread, as the start of a process does. */
function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('ProcessStarts: lets the event loop run after each start', async () => {
  const starts = new ProcessStarts()
  let turns = 0
  let most = 0
  let inOneTurn = 0
  const count = setInterval(() => {
    turns++
    inOneTurn = 0
  })
  await Promise.all(
    Array.from({ length: 20 }, () =>
      starts.run('a', () => {
        block(5)
        most = Math.max(most, ++inOneTurn)
      }),
    ),
  )
  clearInterval(count)
  assert.ok(turns > 20, `${turns} turns`)
  assert.equal(most, 1)
})

test('ProcessStarts: flows take turns, however much waits in one of them', async () => {
  const starts = new ProcessStarts()
  const order: string[] = []
  const start = (flow: string) => starts.run(flow, () => order.push(flow))
  await Promise.all([...Array.from({ length: 50 }, () => start('busy')), start('quiet')])
  assert.equal(order.indexOf('quiet'), 2)
})

test('ProcessStarts: rejects with the error of a start, and continues', async () => {
  const starts = new ProcessStarts()
  const failed = starts.run('a', () => {
    throw new Error('no')
  })
  const next = starts.run('a', () => 7)
  await assert.rejects(failed, /^Error: no$/)
  assert.equal(await next, 7)
})
