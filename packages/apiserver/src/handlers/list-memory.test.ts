import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListMemory } from './list-memory.js'

class Client {
  #callback: (() => void) | undefined

  onClose(callback: () => void): void {
    this.#callback = callback
  }

  close(): void {
    this.#callback?.()
  }
}

test('ListMemory: only the oldest large list continues beyond the limit', async () => {
  const memory = new ListMemory(100, 10)
  const [first, second] = [memory.begin(new Client()), memory.begin(new Client())]
  assert.equal(first.grew(60), undefined)
  assert.equal(first.grew(30), undefined)
  const waiting = second.grew(20)
  assert.ok(waiting instanceof Promise)
  assert.equal(first.grew(1000), undefined)
  assert.equal(memory.begin(new Client()).grew(10), undefined, 'a small list waited')
  first.end()
  await waiting
  assert.equal(second.grew(1000), undefined)
})

test('ListMemory: ends a list whose client has gone, whether it waits or not', async () => {
  const memory = new ListMemory(100, 10)
  const clients = [new Client(), new Client()] as const
  const [first, second] = [memory.begin(clients[0]), memory.begin(clients[1])]
  void first.grew(200)
  const waiting = second.grew(20)
  clients[1].close()
  await assert.rejects(async () => waiting, /the client disconnected/)
  clients[0].close()
  assert.throws(() => first.grew(1), /the client disconnected/)
})
