import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricRegistry } from '@orrery/kube/metrics'
import { type Identity, SYSTEM_MASTER } from '../identity/identity.js'
import { MANDATORY_LEVELS, SUGGESTED_LEVELS, SUGGESTED_SCHEMAS } from './bootstrap.js'
import { FlowControl, type Seat, TooManyRequests } from './flow-control.js'
import type { FlowRequest } from './flow-matcher.js'
import { addFlowControlMetrics } from './metrics.js'
import type { FlowSchema, PriorityLevelConfiguration } from './types.js'

const GET: FlowRequest = {
  verb: 'get',
  isResource: true,
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  path: '/api/v1/namespaces/default/pods/a',
}

function identity(username: string, ...groups: string[]): Identity {
  return { username, uid: '', groups: [...groups, 'system:authenticated'], extra: {} }
}

const stay = () => undefined

function schemaOf(control: FlowControl, who: Identity, request: Partial<FlowRequest> = {}): string {
  const seat = control.enter(who, { ...GET, ...request }, 1, stay) as Seat
  seat.release()
  return seat.lane.schema.metadata.name ?? ''
}

test('FlowControl: classifies requests like the default flow schemas of kube-apiserver', () => {
  const control = new FlowControl()
  const node = identity('system:node:n', 'system:nodes')
  const account = identity('system:serviceaccount:team:app', 'system:serviceaccounts', 'system:serviceaccounts:team')
  const system = identity('system:serviceaccount:kube-system:dns', 'system:serviceaccounts')
  const lease = { group: 'coordination.k8s.io', resource: 'leases' }
  assert.equal(schemaOf(control, SYSTEM_MASTER), 'exempt')
  assert.equal(schemaOf(control, node), 'system-nodes')
  assert.equal(schemaOf(control, node, lease), 'system-node-high')
  assert.equal(schemaOf(control, node, { resource: 'nodes', subresource: 'status', namespace: '' }), 'system-node-high')
  assert.equal(schemaOf(control, account), 'service-accounts')
  assert.equal(schemaOf(control, system), 'kube-system-service-accounts')
  assert.equal(schemaOf(control, system, { ...lease, verb: 'update' }), 'system-leader-election')
  assert.equal(schemaOf(control, identity('system:kube-scheduler')), 'kube-scheduler')
  assert.equal(schemaOf(control, identity('ann')), 'global-default')
  assert.equal(schemaOf(control, identity('ann'), { isResource: false, path: '/livez', namespace: '' }), 'probes')
})

test('FlowControl: divides seats by nominal concurrency shares', () => {
  const control = new FlowControl(600)
  const seats = Object.fromEntries(Array.from(control.levels, ({ name, nominalSeats }) => [name, nominalSeats]))
  assert.deepEqual(seats, {
    exempt: 0,
    'catch-all': 13,
    system: 74,
    'node-high': 98,
    'leader-election': 25,
    'workload-high': 98,
    'workload-low': 245,
    'global-default': 49,
  })
})

/** Returns flow control with one level for all requests, without borrowing. */
function single(seats: number, queueLengthLimit = 50): FlowControl {
  const control = new FlowControl(seats)
  const queuing = { queues: 64, handSize: 4, queueLengthLimit }
  const level: PriorityLevelConfiguration = {
    ...(SUGGESTED_LEVELS.at(-1) as PriorityLevelConfiguration),
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 1000, lendablePercent: 0, limitResponse: { type: 'Queue', queuing } },
    },
  }
  control.configure(SUGGESTED_SCHEMAS.slice(-1) as FlowSchema[], [...MANDATORY_LEVELS, level])
  return control
}

test('FlowControl: serves users fairly while one of them has many requests', async () => {
  const control = single(4)
  const order: string[] = []
  const ask = async (who: Identity) => {
    const seat = await control.enter(who, GET, 1, stay)
    order.push(who.username)
    await new Promise(setImmediate)
    seat.release()
  }
  const attacker = identity('attacker')
  const admin = identity('admin')
  const all = Array.from({ length: 100 }, () => ask(attacker))
  all.push(...Array.from({ length: 10 }, () => ask(admin)))
  await Promise.all(all)
  assert.ok(
    order.lastIndexOf('admin') < 70,
    `the last request of the other user was number ${order.lastIndexOf('admin')}`,
  )
})

test('FlowControl: refuses requests with a 429 if the queues are full', async () => {
  const control = single(1, 1)
  const who = identity('ann')
  const seat = await control.enter(who, GET, 1, stay)
  const waiting = Array.from({ length: 4 }, () => control.enter(who, GET, 1, stay))
  await assert.rejects(
    async () => control.enter(who, GET, 1, stay),
    (error) => error instanceof TooManyRequests && error.code === 429 && error.status.details?.retryAfterSeconds === 1,
  )
  const [counts] = [...control.counts].filter(({ schema }) => schema === 'global-default')
  assert.equal(counts?.rejected.get('queue-full'), 1)
  seat.release()
  for (const one of waiting) (await one).release()
  assert.equal(
    [...control.levels].reduce((seats, level) => seats + level.seatsInUse, 0),
    0,
  )
})

test('FlowControl: removes the request of a client that disconnected', async () => {
  const control = single(1)
  const who = identity('ann')
  const seat = await control.enter(who, GET, 1, stay)
  let leave: () => void = stay
  const waiting = control.enter(who, GET, 1, (callback) => {
    leave = callback
  })
  leave()
  await assert.rejects(async () => waiting, TooManyRequests)
  seat.release()
  assert.equal(
    [...control.levels].reduce((count, level) => count + level.waiting, 0),
    0,
  )
})

test('FlowControl: releases the seats of a request that waits for its client, and queues it again', async () => {
  const control = single(1)
  const slow = (await control.enter(identity('ann'), GET, 1, stay)) as Seat
  slow.leave()
  const other = control.enter(identity('bob'), GET, 1, stay)
  assert.ok(!(other instanceof Promise), 'bob has to wait')
  let isBack = false
  const back = slow.retake(stay).then(() => {
    isBack = true
  })
  await new Promise(setImmediate)
  assert.equal(isBack, false)
  other.release()
  await back
  const used = () => [...control.levels].reduce((seats, level) => seats + level.seatsInUse, 0)
  assert.equal(used(), 1)
  slow.release()
  slow.release()
  assert.equal(used(), 0)
})

test('FlowControl: keeps no seats for a request that ends while it queues again', async () => {
  const control = single(1)
  const slow = (await control.enter(identity('ann'), GET, 1, stay)) as Seat
  slow.leave()
  const other = (await control.enter(identity('bob'), GET, 1, stay)) as Seat
  const back = slow.retake(stay)
  slow.release()
  other.release()
  await back
  assert.equal(
    [...control.levels].reduce((seats, level) => seats + level.seatsInUse + level.executing, 0),
    0,
  )
})

/** Takes seats until there are none. */
function takeAll(control: FlowControl, who: Identity, seats: number): { taken: Seat[]; waiting: Promise<Seat> } {
  const taken: Seat[] = []
  for (;;) {
    const seat = control.enter(who, GET, seats, stay)
    if (seat instanceof Promise) return { taken, waiting: seat }
    taken.push(seat)
  }
}

test('FlowControl: reserves seats for single-seat requests', async () => {
  const control = single(40)
  const greedy = takeAll(control, identity('ann'), 10)
  assert.equal(greedy.taken.length, 3)
  const short = takeAll(control, identity('bob'), 1)
  assert.equal(short.taken.length, 10)
  for (const seat of [...greedy.taken, ...short.taken]) seat.release()
  for (const seat of await Promise.all([greedy.waiting, short.waiting])) seat.release()
})

test('FlowControl: does not starve requests with several seats', async () => {
  const control = single(20)
  const short = takeAll(control, identity('ann'), 1)
  let isServed = false
  const long = Promise.resolve(control.enter(identity('bob'), GET, 10, stay)).then((seat) => {
    isServed = true
    seat.release()
  })
  const others: (Seat | Promise<Seat>)[] = [short.waiting]
  for (const seat of short.taken) {
    others.push(control.enter(identity('ann'), GET, 1, stay))
    seat.release()
    await new Promise(setImmediate)
  }
  assert.ok(isServed)
  await long
  for (const seat of others) (await seat).release()
})

test('FlowControl: counts waiting times and whether requests were served', async () => {
  const control = single(1)
  const metrics = new MetricRegistry()
  addFlowControlMetrics(metrics, control)
  const seat = await control.enter(identity('ann'), GET, 1, stay)
  const served = control.enter(identity('ann'), GET, 1, stay)
  const gone = control.enter(identity('ann'), GET, 1, (callback) => void callback())
  await assert.rejects(async () => gone, TooManyRequests)
  seat.release()
  ;(await served).release()
  const text = metrics.render()
  const name = 'apiserver_flowcontrol_request_wait_duration_seconds'
  const labels = 'priority_level="global-default",flow_schema="global-default"'
  assert.match(text, new RegExp(`^# TYPE ${name} histogram$`, 'm'))
  for (const execute of [true, false]) {
    assert.ok(text.includes(`${name}_count{${labels},execute="${execute}"} 1\n`), text)
    assert.ok(text.includes(`${name}_bucket{${labels},execute="${execute}",le="15"} 1\n`), text)
  }
})

test('FlowControl: lets a level borrow seats of others', () => {
  const control = new FlowControl(600)
  const { taken, waiting } = takeAll(control, identity('ann'), 1)
  waiting.catch(stay)
  // 49 of its own, and the lendable seats of system (33 %), node-high (25 %), workload-high (50 %) and workload-low (90
  // %).
  assert.equal(taken.length, 49 + 24 + 25 + 49 + 221)
  for (const seat of taken) seat.release()
})

test('FlowControl: always admits exempt requests', () => {
  const control = single(1)
  void control.enter(identity('ann'), GET, 10, stay)
  assert.ok(!(control.enter(SYSTEM_MASTER, GET, 10, stay) instanceof Promise))
})

test('FlowControl: gives the seats of a request to others while it waits for another server', async () => {
  const control = single(1)
  const first = control.enter(identity('ann'), GET, 1, stay) as Seat
  let answer: (text: string) => void = stay
  const waiting = first.waitFor(() => new Promise<string>((resolve) => (answer = resolve)), stay)
  const second = control.enter(identity('bob'), GET, 1, stay)
  assert.ok(!(second instanceof Promise))
  answer('yes')
  let isBack = false
  const back = waiting.then((text) => {
    isBack = true
    return text
  })
  await new Promise(setImmediate)
  assert.equal(isBack, false)
  second.release()
  assert.equal(await back, 'yes')
  const third = control.enter(identity('bob'), GET, 1, stay)
  assert.ok(third instanceof Promise)
  first.release()
  ;(await third).release()
})

test('FlowControl: takes the seats of a request once after several of its parts waited', async () => {
  const control = single(1)
  const seat = control.enter(identity('ann'), GET, 1, stay) as Seat
  const answers = [1, 2, 3].map((part) => seat.waitFor(() => Promise.resolve(part), stay))
  assert.deepEqual(await Promise.all(answers), [1, 2, 3])
  await Promise.all([seat.waitFor(async () => 4, stay), seat.waitFor(() => new Promise(setImmediate), stay)])
  seat.release()
  assert.deepEqual(
    Array.from(control.levels, ({ seatsInUse }) => seatsInUse).filter((seats) => seats !== 0),
    [],
  )
})

test('FlowControl: limits the requests of a tenant that wait for other servers', async () => {
  const control = new FlowControl()
  const wait = (username: string) => {
    const seat = control.enter(identity(username), GET, 10, stay) as Seat
    return seat.waitFor(() => new Promise<void>(stay), stay)
  }
  for (let index = 0; index < 50; index++) void wait(`system:serviceaccount:team:app${index}`)
  await assert.rejects(wait('system:serviceaccount:team:another'), TooManyRequests)
  const other = control.enter(identity('system:serviceaccount:other:app'), GET, 10, stay) as Seat
  assert.equal(await other.waitFor(() => Promise.resolve('yes'), stay), 'yes')
})

test('FlowControl: counts a request that waits after its write, but does not refuse it', async () => {
  const control = new FlowControl()
  const enter = () => control.enter(identity('ann'), GET, 10, stay) as Seat
  for (let index = 0; index < 50; index++) void enter().waitAtEnd(() => new Promise<void>(stay))
  assert.equal(await enter().waitAtEnd(() => Promise.resolve('yes')), 'yes')
  await assert.rejects(
    enter().waitFor(() => Promise.resolve('yes'), stay),
    TooManyRequests,
  )
})
