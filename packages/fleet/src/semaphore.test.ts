import assert from 'node:assert/strict'
import test from 'node:test'
import { Semaphore } from './semaphore.js'

test('Turns: are taken in order, and ended once', async () => {
  const semaphore = new Semaphore(1)
  const order: string[] = []
  const first = await semaphore.take()
  const second = semaphore.take().then((end) => {
    order.push('second')
    return end
  })
  const third = semaphore.take().then(() => order.push('third'))
  first()
  first()
  const end = await second
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(order, ['second'])
  end()
  await third
  assert.deepEqual(order, ['second', 'third'])
})
