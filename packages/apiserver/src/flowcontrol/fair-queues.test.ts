import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dealHand, FairQueues } from './fair-queues.js'

function queuesOf(queueLengthLimit = 50): FairQueues {
  return new FairQueues({ queues: 128, handSize: 6, queueLengthLimit })
}

function drain(queues: FairQueues): void {
  for (let next = queues.take(); next !== undefined; next = queues.take()) next.start()
}

test('dealHand: deals a flow the same distinct queues every time', () => {
  const hand = dealHand('a flow', 128, 6)
  assert.deepEqual(hand, dealHand('a flow', 128, 6))
  assert.equal(new Set(hand).size, 6)
  assert.ok(hand.every((index) => index >= 0 && index < 128))
  assert.deepEqual(
    dealHand('a flow', 4, 4).sort((a, b) => a - b),
    [0, 1, 2, 3],
  )
})

test('FairQueues: does not make a late flow wait for all earlier requests', () => {
  const queues = queuesOf()
  const order: string[] = []
  for (let index = 0; index < 60; index++) queues.add('busy', { seats: 1, start: () => order.push('busy') })
  queues.add('quiet', { seats: 1, start: () => order.push('quiet') })
  drain(queues)
  assert.equal(order.length, 61)
  assert.ok(order.indexOf('quiet') <= 6, `it was number ${order.indexOf('quiet')}`)
})

test('FairQueues: serves flows with many seats less often', () => {
  const queues = new FairQueues({ queues: 2, handSize: 1, queueLengthLimit: 50 })
  const flows = ['wide', 'a', 'b', 'c', 'd'].filter((flow, index) => {
    const [queue] = dealHand(flow, 2, 1)
    return index === 0 || queue !== dealHand('wide', 2, 1)[0]
  })
  const narrow = flows[1] as string
  const order: string[] = []
  for (let index = 0; index < 10; index++) {
    queues.add('wide', { seats: 10, start: () => order.push('wide') })
    queues.add(narrow, { seats: 1, start: () => order.push('narrow') })
  }
  drain(queues)
  const firstTwelve = order.slice(0, 12).filter((flow) => flow === 'narrow').length
  assert.equal(firstTwelve, 10)
})

test('FairQueues: refuses requests beyond its queue limit and removes cancelled ones', () => {
  const queues = queuesOf(2)
  const leaves = Array.from({ length: 12 }, () => queues.add('flow', { seats: 1, start: () => undefined }))
  assert.ok(leaves.every((leave) => leave !== undefined))
  assert.equal(queues.add('flow', { seats: 1, start: () => undefined }), undefined)
  for (const leave of leaves) leave?.()
  assert.equal(queues.size, 0)
  assert.equal(queues.peek(), undefined)
})
