import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../testing/fake-clock.js'
import { requeueAfter, requeueAt } from './requeue.js'
import { type Urgency, WorkQueue } from './workqueue.js'

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
        key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        urgency: fc.constantFrom<Urgency>('fresh', 'resync'),
      }),
    },
    { weight: 4, arbitrary: fc.constant({ do: 'take' as const }) },
    fc.record({
      do: fc.constant('succeed' as const),
      pick: fc.nat(5),
      again: fc.option(fc.integer({ min: -5, max: 100 }), { nil: undefined }),
      isMoment: fc.boolean(),
    }),
    fc.record({ do: fc.constant('fail' as const), pick: fc.nat(5) }),
    fc.record({ do: fc.constant('advance' as const), milliseconds: fc.integer({ min: 1, max: 60 }) }),
  ),
  { maxLength: 120, size: 'max' },
)

interface Delay {
  readonly due: number
  readonly urgency: Urgency
}

/** The specification of the queue, with plain lists. */
class Model {
  readonly ready: Record<Urgency, string[]> = { fresh: [], resync: [] }
  readonly running = new Map<string, { urgency: Urgency; again: Urgency | undefined }>()
  readonly delays = new Map<string, Delay>()
  readonly failures = new Map<string, number>()
  /** Keys added since they were last taken. */
  readonly owed = new Set<string>()

  add(key: string, urgency: Urgency): void {
    this.owed.add(key)
    const run = this.running.get(key)
    if (run !== undefined) run.again = run.again === 'fresh' ? 'fresh' : urgency
    else if (urgency === 'fresh') this.makeFresh(key)
    else if (!this.isReady(key)) this.ready.resync.push(key)
  }

  take(): string | undefined {
    const urgency = this.ready.fresh.length > 0 ? 'fresh' : 'resync'
    const key = this.ready[urgency].shift()
    if (key === undefined) return undefined
    this.delays.delete(key)
    this.owed.delete(key)
    this.running.set(key, { urgency, again: undefined })
    return key
  }

  /** `due` is undefined if the key is not requeued. */
  finish(key: string, now: number, due: number | undefined, urgency: Urgency): void {
    const again = this.running.get(key)?.again
    this.running.delete(key)
    if (again !== undefined) this.ready[again].push(key)
    else if (due !== undefined && due <= now) this.ready[urgency].push(key)
    else if (due !== undefined) this.delays.set(key, { due, urgency })
  }

  advance(now: number): void {
    const due = [...this.delays].filter(([, delay]) => delay.due <= now).sort(([, a], [, b]) => a.due - b.due)
    for (const [key, { urgency }] of due) {
      this.delays.delete(key)
      if (urgency === 'fresh') this.makeFresh(key)
      else if (!this.isReady(key)) this.ready.resync.push(key)
    }
  }

  makeFresh(key: string): void {
    this.delays.delete(key)
    if (this.ready.fresh.includes(key)) return
    this.ready.resync = this.ready.resync.filter((one) => one !== key)
    this.ready.fresh.push(key)
  }

  isReady(key: string): boolean {
    return this.ready.fresh.includes(key) || this.ready.resync.includes(key)
  }
}

function replay(all: readonly Step[]) {
  const clock = new FakeClock()
  const now = () => clock.now().getTime()
  let told = 0
  const queue = new WorkQueue({ clock, onReady: () => told++ })
  const model = new Model()
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
    const wasReady = model.ready.fresh.length + model.ready.resync.length
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
    if (model.ready.fresh.length + model.ready.resync.length > wasReady)
      assert.ok(told > before, 'no worker was notified')
    assert.equal(queue.depth('fresh'), model.ready.fresh.length)
    assert.equal(queue.depth('resync'), model.ready.resync.length)
    assert.equal(queue.running, model.running.size)
    assert.equal(queue.failing, model.failures.size)
    assert.ok(clock.waiting <= 1)
  }
  return { queue, model, clock, take, succeed, advance }
}

test('WorkQueue: behaves as plain lists would, and never returns a key twice', () => {
  fc.assert(fc.property(steps, (all) => void replay(all)))
})

test('WorkQueue: loses nothing: every added key is taken again, then the queue is empty', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { queue, model, clock, take, succeed, advance } = replay(all)
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
