import assert from 'node:assert/strict'
import test from 'node:test'
import { Turns } from './turns.js'

test('turns are taken in order, and given back once', async () => {
  const turns = new Turns(1)
  const order: string[] = []
  const first = await turns.take()
  const second = turns.take().then((end) => {
    order.push('second')
    return end
  })
  const third = turns.take().then(() => order.push('third'))
  first()
  first()
  const end = await second
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(order, ['second'])
  end()
  await third
  assert.deepEqual(order, ['second', 'third'])
})
