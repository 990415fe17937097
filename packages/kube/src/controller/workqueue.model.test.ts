import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../testing/fake-clock.js'
import type { Urgency } from './ready-list.js'
import { requeueAfter, requeueAt } from './requeue.js'
import { WorkQueue } from './workqueue.js'

type Step =
  | { readonly do: 'add'; readonly key: string; readonly urgency: Urgency }
  | { readonly do: 'take' }
  | { readonly do: 'succeed'; readonly pick: number; readonly again: number | undefined; readonly isMoment: boolean }
  | { readonly do: 'fail'; readonly pick: number }
  | { readonly do: 'advance'; readonly milliseconds: number }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('add' as const),
        key: fc.constantFrom('a', 'b', 'x/a', 'x/b', 'x/c', 'y/a', 'y/b', 'z/a'),
        urgency: fc.constantFrom<Urgency>('fresh', 'resync'),
      }),
    },
    { weight: 4, arbitrary: fc.constant({ do: 'take' as const }) },
    fc.record({
      do: fc.constant('succeed' as const),
      pick: fc.nat(7),
      again: fc.option(fc.integer({ min: -5, max: 100 }), { nil: undefined }),
      isMoment: fc.boolean(),
    }),
    fc.record({ do: fc.constant('fail' as const), pick: fc.nat(7) }),
    fc.record({ do: fc.constant('advance' as const), milliseconds: fc.integer({ min: 1, max: 60 }) }),
  ),
  { maxLength: 120, size: 'max' },
)

interface Delay {
  readonly due: number
  readonly urgency: Urgency
}

/** The ready keys of one urgency: those of each namespace, and the namespaces in the order of their turns. */
class Turns {
  flows: { readonly namespace: string; readonly keys: string[] }[] = []

  get size(): number {
    return this.flows.reduce((sum, { keys }) => sum + keys.length, 0)
  }

  has(key: string): boolean {
    return this.flows.some(({ keys }) => keys.includes(key))
  }

  add(key: string): void {
    const namespace = namespaceOf(key)
    const flow = this.flows.find((one) => one.namespace === namespace)
    if (flow === undefined) this.flows.push({ namespace, keys: [key] })
    else flow.keys.push(key)
  }

  remove(key: string): void {
    for (const { keys } of this.flows) if (keys.includes(key)) keys.splice(keys.indexOf(key), 1)
    this.flows = this.flows.filter(({ keys }) => keys.length > 0)
  }

  take(mayRun: (namespace: string) => boolean): string | undefined {
    const flow = this.flows.find(({ namespace }) => mayRun(namespace))
    const key = flow?.keys[0]
    if (flow === undefined || key === undefined) return undefined
    this.flows = [...this.flows.filter((one) => one !== flow), flow]
    this.remove(key)
    return key
  }
}

/** The specification of the queue, with plain lists. */
class Model {
  readonly concurrency: number
  readonly ready = { fresh: new Turns(), resync: new Turns() }
  readonly running = new Map<string, { urgency: Urgency; again: Urgency | undefined }>()
  readonly delays = new Map<string, Delay>()
  readonly failures = new Map<string, number>()
  /** Keys added since they were last taken. */
  readonly owed = new Set<string>()
  freshInARow = 0

  constructor(concurrency: number) {
    this.concurrency = concurrency
  }

  add(key: string, urgency: Urgency): void {
    this.owed.add(key)
    const run = this.running.get(key)
    if (run !== undefined) run.again = run.again === 'fresh' ? 'fresh' : urgency
    else if (urgency === 'fresh') this.makeFresh(key)
    else if (!this.isReady(key)) this.ready.resync.add(key)
  }

  take(): string | undefined {
    const order: Urgency[] = this.freshInARow >= 16 ? ['resync', 'fresh'] : ['fresh', 'resync']
    for (const urgency of order) {
      const key = this.ready[urgency].take((namespace) => this.mayRun(namespace))
      if (key === undefined) continue
      this.freshInARow = urgency === 'fresh' && this.ready.resync.size > 0 ? this.freshInARow + 1 : 0
      this.delays.delete(key)
      this.owed.delete(key)
      this.running.set(key, { urgency, again: undefined })
      return key
    }
    return undefined
  }

  mayRun(namespace: string): boolean {
    const free = this.concurrency - this.running.size
    const isIdle = namespace === '' || ![...this.running.keys()].some((key) => namespaceOf(key) === namespace)
    return isIdle ? free > 0 : free > 1
  }

  /** `due` is undefined if the key is not requeued. */
  finish(key: string, now: number, due: number | undefined, urgency: Urgency): void {
    const again = this.running.get(key)?.again
    this.running.delete(key)
    if (again !== undefined) this.ready[again].add(key)
    else if (due !== undefined && due <= now) this.ready[urgency].add(key)
    else if (due !== undefined) this.delays.set(key, { due, urgency })
  }

  advance(now: number): void {
    const due = [...this.delays].filter(([, delay]) => delay.due <= now).sort(([, a], [, b]) => a.due - b.due)
    for (const [key, { urgency }] of due) {
      this.delays.delete(key)
      if (urgency === 'fresh') this.makeFresh(key)
      else if (!this.isReady(key)) this.ready.resync.add(key)
    }
  }

  makeFresh(key: string): void {
    this.delays.delete(key)
    if (this.ready.fresh.has(key)) return
    this.ready.resync.remove(key)
    this.ready.fresh.add(key)
  }

  isReady(key: string): boolean {
    return this.ready.fresh.has(key) || this.ready.resync.has(key)
  }
}

function namespaceOf(key: string): string {
  return key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
}

function replay(all: readonly Step[], concurrency: number) {
  const clock = new FakeClock()
  const now = () => clock.now().getTime()
  let told = 0
  const queue = new WorkQueue({ clock, concurrency, onReady: () => told++ })
  const model = new Model(concurrency)
  const take = () => {
    const key = queue.take()?.key
    if (key !== undefined) assert.ok(!model.running.has(key), `${key} is in flight twice`)
    assert.equal(key, model.take())
    return key
  }
  const succeed = (key: string, wait?: number, isMoment = false) => {
    const due = wait === undefined ? undefined : now() + wait
    queue.succeed(
      key,
      due === undefined || wait === undefined ? undefined : isMoment ? requeueAt(new Date(due)) : requeueAfter(wait),
    )
    model.failures.delete(key)
    model.finish(key, now(), due, 'fresh')
  }
  const fail = (key: string) => {
    const failures = (model.failures.get(key) ?? 0) + 1
    model.failures.set(key, failures)
    const { urgency, again } = model.running.get(key)!
    const due = again === undefined ? now() + 5 * 2 ** (failures - 1) : now()
    assert.equal(queue.fail(key), due - now())
    model.finish(key, now(), due, urgency)
  }
  const advance = (milliseconds: number) => {
    clock.advance(milliseconds)
    model.advance(now())
  }
  for (const step of all) {
    const before = told
    const wasReady = model.ready.fresh.size + model.ready.resync.size
    const inFlight = [...model.running.keys()]
    const picked = 'pick' in step ? inFlight[step.pick % inFlight.length] : undefined
    if (step.do === 'add') {
      queue.add(step.key, step.urgency)
      model.add(step.key, step.urgency)
    } else if (step.do === 'take') take()
    else if (step.do === 'advance') advance(step.milliseconds)
    else if (picked !== undefined && step.do === 'succeed') {
      succeed(picked, step.again, step.isMoment)
    } else if (picked !== undefined) fail(picked)
    if (model.ready.fresh.size + model.ready.resync.size > wasReady) assert.ok(told > before, 'no worker was notified')
    assert.equal(queue.depth('fresh'), model.ready.fresh.size)
    assert.equal(queue.depth('resync'), model.ready.resync.size)
    assert.equal(queue.running, model.running.size)
    assert.ok(queue.running <= concurrency)
    assert.equal(queue.failing, model.failures.size)
    assert.ok(clock.waiting <= 1)
  }
  return { queue, model, clock, take, succeed, advance }
}

/** With 1 there are no turns to keep free, with 100 there is always a free worker. */
const concurrencies = fc.constantFrom(1, 2, 3, 5, 100)

test('WorkQueue: behaves as plain lists would, and never returns a key twice', () => {
  fc.assert(fc.property(steps, concurrencies, (all, concurrency) => void replay(all, concurrency)))
})

test('WorkQueue: loses nothing: every added key is taken again, then the queue is empty', () => {
  fc.assert(
    fc.property(steps, concurrencies, (all, concurrency) => {
      const { queue, model, clock, take, succeed, advance } = replay(all, concurrency)
      const owed = new Set(model.owed)
      for (const key of [...model.running.keys()]) succeed(key)
      advance(10_000_000)
      for (let key = take(); key !== undefined; key = take()) {
        owed.delete(key)
        succeed(key)
      }
      assert.deepEqual([...owed], [])
      assert.deepEqual([queue.running, queue.waiting, queue.failing, clock.waiting], [0, 0, 0, 0])
    }),
  )
})

test('WorkQueue: a key waits for at most one key of each other namespace, however many they add meanwhile', () => {
  const backlogs = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 50 }))
  fc.assert(
    fc.property(backlogs, fc.nat(60), fc.integer({ min: 1, max: 4 }), (namespaces, before, concurrency) => {
      const queue = new WorkQueue({ clock: new FakeClock(), concurrency, onReady: () => undefined })
      let added = 0
      const addAnother = (namespace: string) => queue.add(`${namespace}/${added++}`)
      for (const [namespace, count] of Object.entries(namespaces)) {
        for (let index = 0; index < count; index++) addAnother(namespace)
      }
      const inFlight: string[] = []
      /** Ends the oldest run if no worker is free for the next one. */
      const next = (): string | undefined => {
        let work = queue.take()
        while (work === undefined && inFlight.length > 0) {
          queue.succeed(inFlight.shift()!)
          work = queue.take()
        }
        if (work !== undefined) inFlight.push(work.key)
        return work?.key
      }
      for (let taken = 0; taken < before; taken++) next()
      queue.add('late/1')
      const waited: string[] = []
      for (let key = next(); key !== 'late/1'; key = next()) {
        waited.push(namespaceOf(key!))
        addAnother(namespaceOf(key!))
      }
      assert.equal(new Set(waited).size, waited.length, `it waited for ${waited}`)
    }),
  )
})
