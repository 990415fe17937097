import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../testing/fake-clock.js'
import { each } from './each.js'
import { FakeInformer } from './fake-informer.fixture.js'
import { type ControllerGroupOptions, startControllers } from './group.js'
import type { Leadership } from './leadership.js'
import { type LogLine, Other, recordingLog, Thing, turns, unusedClient } from './testing.fixture.js'
import type { ControllerSpec } from './types.js'

const a = { namespace: 'ns', name: 'a' }

function idle(name: string, informer = new FakeInformer(Thing).sync()): ControllerSpec {
  return { name, wakes: [each(informer)], reconcile: async () => undefined }
}

/** An election that the test decides. */
class TestElection implements Leadership {
  readonly steps: string[] = []
  #elect: ((lost: AbortSignal | Promise<AbortSignal>) => void) | undefined
  #term = new AbortController()

  whenLeader(signal: AbortSignal): Promise<AbortSignal> {
    this.steps.push('stands')
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      this.#elect = resolve
    })
  }

  async release(): Promise<void> {
    this.steps.push('releases')
  }

  win(): void {
    this.#term = new AbortController()
    this.#elect?.(this.#term.signal)
  }

  lose(): void {
    this.#term.abort()
  }

  fail(error: Error): void {
    this.#elect?.(Promise.reject(error))
  }
}

function start(specs: readonly ControllerSpec[], options: Partial<ControllerGroupOptions> = {}) {
  const clock = new FakeClock()
  const lines: LogLine[] = []
  const group = startControllers(specs, { client: unusedClient, clock, log: recordingLog(lines), ...options })
  const states = () => group.health.map(({ name, state }) => `${name} ${state}`)
  return { group, clock, lines, states }
}

test('ControllerGroup: starts and stops controllers together, each when its informers have synced', async () => {
  const late = new FakeInformer(Other)
  const { group, states } = start([idle('one'), idle('two', late)])
  await turns()
  assert.deepEqual(states(), ['one running', 'two waiting'])
  late.sync()
  await group.whenRunning()
  assert.deepEqual(states(), ['one running', 'two running'])
  await group.stop()
  await group.stop()
  assert.deepEqual(states(), ['one stopped', 'two stopped'])
})

test('ControllerGroup: whenRunning rejects if the group is stopped first', async () => {
  const { group } = start([idle('one', new FakeInformer(Thing))])
  const waiting = group.whenRunning()
  await group.stop()
  await assert.rejects(waiting, /the controllers were stopped/)
})

test('ControllerGroup: a controller with a closed informer fails and the others run', async () => {
  const closed = Object.assign(new FakeInformer(Thing), {
    whenSynced: () => Promise.reject(new Error('the informer for things was closed')),
  })
  const { group, states, lines } = start([idle('broken', closed), idle('fine')])
  await assert.rejects(group.whenRunning(), /the informer for things was closed/)
  await turns()
  assert.deepEqual(states(), ['broken failed', 'fine running'])
  assert.equal(lines.find(({ level }) => level === 'error')?.message, 'controller cannot start')
  await group.stop()
})

test('startControllers: rejects duplicate names and a concurrency of zero', () => {
  assert.throws(() => start([idle('one'), idle('one')]), /two controllers have the name "one"/)
  for (const concurrency of [0, -1, Number.NaN]) {
    assert.throws(() => start([{ ...idle('one'), concurrency }]), /controller one: the concurrency must be at least 1/)
  }
})

test('ControllerGroup: runs while its process leads, and starts over when it leads again', async () => {
  const things = new FakeInformer(Thing, [{ metadata: a }]).sync()
  const seen: string[] = []
  const leadership = new TestElection()
  const spec: ControllerSpec = { ...idle('one', things), reconcile: async ({ name }) => void seen.push(name) }
  const { group, states } = start([spec], { leadership })
  await turns()
  assert.deepEqual(states(), ['one standby'])
  assert.deepEqual(seen, [])
  leadership.win()
  await group.whenRunning()
  await turns()
  assert.deepEqual(seen, ['a'])
  leadership.lose()
  await turns()
  assert.deepEqual(states(), ['one standby'])
  assert.equal(things.subscribers, 0)
  leadership.win()
  await turns()
  assert.deepEqual(seen, ['a', 'a'])
  await group.stop()
  assert.deepEqual(leadership.steps, ['stands', 'releases', 'stands', 'releases'])
})

test('ControllerGroup: releases leadership only when all reconciles have ended', async () => {
  const things = new FakeInformer(Thing, [{ metadata: a }]).sync()
  const leadership = new TestElection()
  const spec: ControllerSpec = {
    ...idle('one', things),
    reconcile: (_, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          leadership.steps.push('told to end')
          setImmediate(() => {
            leadership.steps.push('ends')
            resolve()
          })
        }),
      ),
  }
  const { group } = start([spec], { leadership })
  await turns()
  leadership.win()
  await group.whenRunning()
  await turns()
  await group.stop()
  assert.deepEqual(leadership.steps, ['stands', 'told to end', 'ends', 'releases'])
})

test('ControllerGroup: can be stopped before it led', async () => {
  const leadership = new TestElection()
  const { group, states, clock } = start([idle('one')], { leadership })
  await turns()
  await group.stop()
  assert.deepEqual(states(), ['one stopped'])
  assert.deepEqual(leadership.steps, ['stands'])
  assert.equal(clock.waiting, 0)
})

test('ControllerGroup: does not start if it is stopped when it is elected', async () => {
  const things = new FakeInformer(Thing, [{ metadata: a }]).sync()
  const leadership = new TestElection()
  const { group } = start([idle('one', things)], { leadership })
  await turns()
  leadership.win()
  await group.stop()
  assert.equal(things.subscribers, 0)
  assert.deepEqual(leadership.steps, ['stands', 'releases'])
})

test('ControllerGroup: logs a failed election and stands again', async () => {
  const leadership = new TestElection()
  const { group, clock, lines } = start([idle('one')], { leadership })
  await turns()
  leadership.fail(new Error('no such lease'))
  await turns()
  assert.equal(lines.find(({ level }) => level === 'error')?.message, 'leader election failed')
  clock.advance(5000)
  await turns()
  leadership.win()
  await group.whenRunning()
  await group.stop()
})

test('startControllers: has defaults for clock, log and metrics', async () => {
  const things = new FakeInformer(Thing, [{ metadata: a }]).sync()
  const group = startControllers(
    [
      {
        ...idle('one', things),
        reconcile: async ({ name }) => {
          throw new Error(name)
        },
      },
    ],
    { client: unusedClient },
  )
  await group.whenRunning()
  await turns()
  assert.equal(group.health[0]?.failing, 1)
  await group.stop()
})
