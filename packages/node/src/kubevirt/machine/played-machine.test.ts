import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { PLAY_DURATION, PLAY_EXIT } from '../../kubelet/played/play-script.js'
import { instanceOf, NOW } from '../testing.fixture.js'
import { PLAY_AGENT, PLAY_BOOT, PLAY_SHUTDOWN } from './play-script.js'
import { playedDriver } from './played-machine.js'

function played(annotations: Record<string, string> = {}, more: Parameters<typeof instanceOf>[3] = {}) {
  const clock = new FakeClock(NOW)
  const instance = instanceOf('Scheduled', {}, { annotations }, more)
  let changes = 0
  const machine = playedDriver(clock).start(instance, () => changes++)
  return { clock, machine, changes: () => changes, look: () => machine.look(instance, clock.now()) }
}

test('PlayedMachine: boots, then its agent connects', () => {
  const { clock, look } = played({ [PLAY_BOOT]: '3s', [PLAY_AGENT]: '2s' })
  assert.deepEqual([look().state, look().again], ['starting', new Date(NOW.getTime() + 3_000)])
  clock.advance(3_000)
  assert.deepEqual([look().state, look().guest, look().again], ['running', undefined, new Date(NOW.getTime() + 5_000)])
  clock.advance(2_000)
  assert.equal(look().guest?.hostname, 'vm')
  assert.equal(look().again, undefined)
})

test('PlayedMachine: fails to boot, and ends by itself, as its annotations ask', () => {
  const broken = played({ [PLAY_BOOT]: 'fail' }).look()
  assert.deepEqual([broken.state, broken.exit?.reason], ['ended', 'crashed'])
  for (const [exit, reason] of [
    ['0', 'shutdown'],
    ['1', 'crashed'],
  ] as const) {
    const { clock, look } = played({ [PLAY_BOOT]: '0s', [PLAY_DURATION]: '1m', [PLAY_EXIT]: exit })
    clock.advance(59_999)
    assert.equal(look().state, 'running')
    clock.advance(1)
    assert.equal(look().exit?.reason, reason)
  }
})

test('PlayedMachine: shuts down, or is killed after its grace period', () => {
  const polite = played({ [PLAY_BOOT]: '0s', [PLAY_SHUTDOWN]: '2s' })
  polite.machine.stop(30)
  assert.equal(polite.look().state, 'running')
  polite.clock.advance(2_000)
  assert.equal(polite.look().exit?.reason, 'shutdown')

  const stubborn = played({ [PLAY_BOOT]: '0s', [PLAY_SHUTDOWN]: 'never' })
  stubborn.machine.stop(30)
  stubborn.clock.advance(10_000)
  assert.equal(stubborn.look().state, 'running')
  stubborn.machine.stop(5)
  stubborn.machine.stop(60)
  stubborn.clock.advance(5_000)
  assert.equal(stubborn.look().exit?.reason, 'killed')
})

test('PlayedMachine: pauses, and a paused guest does not shut down', async () => {
  const { clock, machine, look, changes } = played({ [PLAY_BOOT]: '0s', [PLAY_SHUTDOWN]: '1s' })
  await machine.pause()
  assert.equal(look().state, 'paused')
  machine.stop(10)
  clock.advance(5_000)
  assert.equal(look().state, 'paused')
  await machine.unpause()
  assert.equal(look().exit?.reason, 'shutdown')
  assert.equal(changes(), 3)
})

test('PlayedMachine: starts paused with the start strategy Paused', () => {
  const { look } = played({ [PLAY_BOOT]: '0s' }, { startStrategy: 'Paused' })
  assert.equal(look().state, 'paused')
})

test('PlayedMachine: a reset disconnects the agent until the guest has booted again', async () => {
  const { clock, machine, look } = played({ [PLAY_BOOT]: '0s', [PLAY_AGENT]: '2s' })
  clock.advance(2_000)
  assert.ok(look().guest)
  await machine.reset()
  assert.equal(look().guest, undefined)
  clock.advance(2_000)
  assert.ok(look().guest)
})

test('PlayedMachine: freezes for a time', async () => {
  const { clock, machine, look } = played({ [PLAY_BOOT]: '0s' })
  await machine.freeze(60_000)
  assert.equal(look().isFrozen, true)
  await assert.rejects(machine.freeze(1_000), /already frozen/)
  clock.advance(60_000)
  assert.equal(look().isFrozen, false)
})

test('PlayedMachine: refuses a console and a display with a status that clients do not retry', async () => {
  const { machine } = played()
  const refusal = { code: 400, message: /^virtualmachineinstance "vm" has no (console|display): no guest runs/ }
  await assert.rejects(machine.serveConsole({} as never), refusal)
  await assert.rejects(machine.serveVnc({} as never), refusal)
})

test('playedDriver: resumes a machine from the status of its instance', () => {
  const clock = new FakeClock(NOW)
  const phaseTransitionTimestamps = [{ phase: 'Scheduled', phaseTransitionTimestamp: '2029-12-31T23:00:00Z' }]
  const conditions = [{ type: 'Paused', status: 'True' as const }]
  const instance = instanceOf('Running', { phaseTransitionTimestamps, conditions })
  const look = playedDriver(clock)
    .resume(instance, () => undefined)
    .look(instance, NOW)
  assert.equal(look.state, 'paused')
  assert.ok(look.guest)
})
