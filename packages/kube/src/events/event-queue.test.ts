import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventRecord } from './event.js'
import type { EventWrite } from './event-aggregator.js'
import { EventQueue } from './event-queue.js'

const eventIn = (namespace: string, name: string): EventWrite => ({
  record: { namespace, name } as EventRecord,
  series: undefined,
})

async function writeAll(queue: EventQueue): Promise<string[]> {
  const written: string[] = []
  const write = async ({ record }: EventWrite) => void written.push(`${record.namespace}/${record.name}`)
  while (queue.size > 0) await queue.writeNext(write)
  return written
}

test('EventQueue: namespaces take turns, each in order', async () => {
  const queue = new EventQueue(100)
  for (const name of ['1', '2', '3']) queue.add(eventIn('a', name))
  queue.add(eventIn('b', '1'))
  assert.deepEqual(await writeAll(queue), ['a/1', 'b/1', 'a/2', 'a/3'])
})

test('EventQueue: a namespace with many events leaves room for those of others', () => {
  const queue = new EventQueue(90)
  let accepted = 0
  for (let index = 0; index < 200; index++) if (queue.add(eventIn('busy', String(index)))) accepted++
  assert.equal(accepted, 80)
  for (const namespace of ['a', 'b', 'c', 'd', 'e']) assert.ok(queue.add(eventIn(namespace, '1')), namespace)
  assert.equal(queue.add(eventIn('busy', 'more')), false)
})

test('EventQueue: never has more than its limit, the event that is being written included', async () => {
  const queue = new EventQueue(3)
  const add = () => [1, 2, 3, 4, 5].filter((index) => queue.add(eventIn(`n${index}`, '1'))).length
  queue.add(eventIn('a', '1'))
  await queue.writeNext(async () => {
    assert.equal(queue.size, 1)
    assert.equal(add(), 2)
  })
  assert.equal(queue.size, 2)
  assert.equal(add(), 1)
  assert.equal(queue.clear(), 3)
  assert.equal(queue.size, 0)
})
