import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually, FakeClock } from '@orrery/kube/testing'
import type { MessageSocket } from '@orrery/kube/transport'
import { instanceOf, NOW } from '../testing.fixture.js'
import type { MachinePlan } from './plan.js'
import { QemuMachine } from './qemu-machine.js'

/** Speaks the protocols of QEMU, and behaves as the name of its kernel says. */
const FAKE = `
const { connect } = require('node:net')
const mode = process.argv[process.argv.indexOf('-append') + 1]
if (mode === 'broken') { console.error('qemu: cannot open the disk'); process.exit(1) }
const monitor = connect('monitor')
const say = (message) => monitor.write(JSON.stringify(message) + '\\n')
const event = (name, data = {}) => say({ event: name, data })
const serial = connect('console')
serial.on('data', (piece) => serial.write('heard ' + piece))
const agent = connect('agent')
agent.on('data', (text) => {
  const { execute, id } = JSON.parse(text)
  const answers = { 'guest-info': { version: '1' }, 'guest-get-osinfo': { id: 'debian' }, 'guest-get-host-name': { 'host-name': 'h' } }
  const answer = answers[execute]
  agent.write(JSON.stringify(answer ? { return: answer, id } : { error: { desc: 'unknown' }, id }) + '\\n')
})
const end = (reason) => { event('SHUTDOWN', { guest: true, reason }); monitor.end(() => process.exit(0)) }
const commands = {
  cont: () => { event('RESUME'); if (mode === 'agent') event('VSERPORT_CHANGE', { id: 'agent-port', open: true }) },
  stop: () => event('STOP'),
  system_reset: () => event('RESET'),
  system_powerdown: () => { if (mode !== 'deaf') end('guest-shutdown') },
  'send-key': () => end('guest-panic'),
}
say({ QMP: {} })
let rest = ''
monitor.on('data', (piece) => {
  const lines = (rest + piece).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { execute, id } = JSON.parse(line)
    say({ return: {}, id })
    commands[execute]?.()
  }
})
`

const PLAN: MachinePlan = {
  uuid: '00000000-0000-5000-a000-000000000000',
  cpu: { sockets: 1, cores: 1, threads: 1 },
  memoryBytes: 1024 * 1024,
  disks: [],
  interfaces: [],
  kernel: undefined,
  hasDisplay: false,
  hasSerialConsole: true,
  hasAcpi: true,
  hasRandomness: false,
  reportsPanic: false,
  endsOnReboot: false,
  startsPaused: false,
}

/** Starts a machine in a process that stands for QEMU. */
async function start(t: TestContext, mode: string, more: Partial<MachinePlan> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-machine-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const system = join(directory, 'qemu')
  await writeFile(system, `#!${process.execPath}\n${FAKE}`, { mode: 0o700 })
  const clock = new FakeClock(NOW)
  // Longer than the address of a socket can be.
  const home = join(directory, 'x'.repeat(120))
  const kernel = { kernel: system, initrd: undefined, args: mode }
  const machine = new QemuMachine({
    name: 'vm',
    hostname: 'vm',
    plan: { ...PLAN, kernel, ...more },
    qemu: { system, image: undefined, acceleration: 'tcg', hasSeccomp: false, devices: [] },
    isolation: undefined,
    directory: home,
    clock,
    changed: () => undefined,
  })
  t.after(() => machine.close(0))
  const look = () => machine.look(instanceOf('Running'), clock.now())
  const until = (state: string) => eventually(`it is ${state}`, () => look().state === state, { seen: look })
  return { machine, clock, look, until, home }
}

test('QemuMachine: starts, pauses, resumes and shuts down', async (t) => {
  const { machine, look, until, home } = await start(t, 'plain')
  assert.equal(look().state, 'starting')
  await until('running')
  await machine.pause()
  assert.equal(look().state, 'paused')
  await machine.unpause()
  assert.equal(look().state, 'running')
  await machine.reset()
  machine.stop(30)
  await until('ended')
  assert.equal(look().exit?.reason, 'shutdown')
  await machine.close(0)
  assert.equal(existsSync(home), false)
  await assert.rejects(machine.pause(), /has ended/)
})

test('QemuMachine: kills a guest that does not react after its grace period', async (t) => {
  const { machine, clock, look, until } = await start(t, 'deaf')
  await until('running')
  machine.stop(30)
  await clock.advance(29_000)
  assert.equal(look().state, 'running')
  await clock.advance(1_000)
  await until('ended')
  assert.equal(look().exit?.reason, 'killed')
})

test('QemuMachine: reports why QEMU ended', async (t) => {
  const { look, until } = await start(t, 'broken')
  await until('ended')
  assert.deepEqual(look().exit, {
    reason: 'crashed',
    at: NOW,
    message: 'QEMU ended with exit code 1: qemu: cannot open the disk',
  })
  const panicked = await start(t, 'plain')
  await panicked.until('running')
  await panicked.machine.softReboot()
  await panicked.until('ended')
  assert.equal(panicked.look().exit?.message, 'The kernel of the guest panicked')
})

test('QemuMachine: a machine whose files are missing does not start', async (t) => {
  const kernel = { kernel: '/nonexistent/kernel', initrd: undefined, args: '' }
  const { look, until } = await start(t, 'plain', { kernel })
  await until('ended')
  assert.match(look().exit?.message ?? '', /^The machine did not start: .*\/nonexistent\/kernel/)
})

test('QemuMachine: shows what the guest agent reports', async (t) => {
  const { look, until } = await start(t, 'agent')
  await until('running')
  await eventually('the agent is connected', () => look().guest !== undefined)
  const { guest } = look()
  assert.deepEqual([guest?.agentVersion, guest?.hostname, guest?.os.id, guest?.users], ['1', 'h', 'debian', []])
})

test('QemuMachine: can start paused', async (t) => {
  const { machine, until } = await start(t, 'plain', { startsPaused: true })
  await until('paused')
  await machine.unpause()
  await until('running')
})

const nothing = () => undefined

/** A client of a console, without a connection. */
class Client implements MessageSocket {
  readonly protocol = 'plain.kubevirt.io'
  readonly received: string[] = []
  readonly closed: string[] = []
  take: (data: Buffer) => void = () => undefined
  send(data: Buffer): boolean {
    this.received.push(data.toString('utf8'))
    return true
  }
  onMessage(callback: (data: Buffer, frame: 'text' | 'binary') => void): void {
    this.take = (data) => callback(data, 'binary')
  }
  onDrain = nothing
  onClose = nothing
  pause = nothing
  resume = nothing
  close(_code?: number, reason = ''): void {
    this.closed.push(reason)
  }
}

test('QemuMachine: all clients of the console see the output, until the machine ends', async (t) => {
  const { machine, until } = await start(t, 'plain')
  await until('running')
  const clients = [new Client(), new Client()]
  for (const client of clients) {
    await machine.serveConsole({ webSocket: () => client } as unknown as Parameters<typeof machine.serveConsole>[0])
  }
  clients[0]?.take(Buffer.from('hello'))
  await eventually('both see it', () => clients.every(({ received }) => received.join('') === 'heard hello'))
  machine.stop(0)
  await until('ended')
  for (const { closed } of clients) assert.deepEqual(closed, ['the virtual machine has ended'])
  const plain = { webSocket: () => undefined } as unknown as Parameters<typeof machine.serveConsole>[0]
  await assert.rejects(machine.serveConsole(plain), /Upgrade request required/)
  await assert.rejects(machine.serveVnc(plain), /autoattachGraphicsDevice is false/)
})
