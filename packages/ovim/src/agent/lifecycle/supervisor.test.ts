import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import type { Component, ComponentHealth } from './component.js'
import { Supervisor } from './supervisor.js'

class Part implements Component {
  readonly name: string
  readonly critical: boolean
  readonly log: string[]
  failsToStart = 0
  current: ComponentHealth = { status: 'healthy' }
  starts = 0

  constructor(name: string, log: string[], critical = false) {
    this.name = name
    this.log = log
    this.critical = critical
  }

  async start(): Promise<void> {
    this.starts++
    if (this.failsToStart-- > 0) throw new Error(`${this.name} cannot start`)
    this.log.push(`start ${this.name}`)
  }

  async stop(): Promise<void> {
    this.log.push(`stop ${this.name}`)
  }

  health(): ComponentHealth {
    return this.current
  }
}

function supervised(...parts: Part[]): { supervisor: Supervisor; clock: FakeClock; restarts: string[] } {
  const clock = new FakeClock()
  const restarts: string[] = []
  const supervisor = new Supervisor({
    components: parts,
    clock,
    log: silentLogger,
    failureThreshold: () => 3,
    onRestart: (name) => restarts.push(name),
  })
  return { supervisor, clock, restarts }
}

test('supervisor: starts components in order and stops them in reverse', async () => {
  const log: string[] = []
  const { supervisor } = supervised(new Part('a', log), new Part('b', log))
  await supervisor.start()
  await supervisor.stop()
  assert.deepEqual(log, ['start a', 'start b', 'stop b', 'stop a'])
})

test('supervisor: a component that fails to start is started again with a growing delay', async () => {
  const part = new Part('a', [])
  part.failsToStart = 2
  const { supervisor, clock } = supervised(part)
  await supervisor.start()
  assert.deepEqual(supervisor.failing(), { failing: 1, failingCritical: 0 })
  assert.match(supervisor.check()[0]?.message ?? '', /a cannot start/)
  clock.advance(999)
  assert.equal(part.starts, 1)
  clock.advance(1)
  await eventually('the second start', () => part.starts === 2)
  await eventually('the next delay', () => clock.waiting === 1)
  clock.advance(1_999)
  assert.equal(part.starts, 2)
  clock.advance(1)
  await eventually('the third start', () => supervisor.failing().failing === 0)
  await supervisor.stop()
})

test('supervisor: a component that is critical too often in a row is restarted', async () => {
  const log: string[] = []
  const part = new Part('a', log, true)
  const { supervisor, clock, restarts } = supervised(part)
  await supervisor.start()
  part.current = { status: 'critical', message: 'stuck' }
  supervisor.check()
  supervisor.check()
  assert.deepEqual(supervisor.failing(), { failing: 1, failingCritical: 1 })
  assert.deepEqual(restarts, [])
  supervisor.check()
  await eventually('the restart', () => restarts.length > 0)
  assert.deepEqual(restarts, ['a'])
  part.current = { status: 'healthy' }
  clock.advance(1_000)
  await eventually('the second start', () => part.starts === 2)
  assert.deepEqual(log, ['start a', 'stop a', 'start a'])
  assert.equal(supervisor.check()[0]?.status, 'healthy')
  await supervisor.stop()
})

test('supervisor: a component that recovers between checks is not restarted', async () => {
  const part = new Part('a', [])
  const { supervisor, restarts } = supervised(part)
  await supervisor.start()
  for (const status of ['critical', 'critical', 'healthy', 'critical', 'critical'] as const) {
    part.current = { status }
    supervisor.check()
  }
  assert.deepEqual(restarts, [])
  await supervisor.stop()
})
