import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import fc from 'fast-check'
import { ContainerLog } from './container-log.js'
import type { LogRequest, LogSource } from './log-source.js'

const ALL: LogRequest = {
  follow: false,
  timestamps: false,
  tailLines: undefined,
  since: undefined,
  limitBytes: undefined,
  stream: undefined,
}

async function directoryFor(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-log-'))
  t.after(() => rm(directory, { recursive: true }))
  return directory
}

/** The number of open files of this process, where the system shows it. */
function openFiles(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
}

async function textOf(log: LogSource, request: Partial<LogRequest> = {}): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of log.read({ ...ALL, ...request }, new AbortController().signal)) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

test('ContainerLog: returns output as written, whatever the chunks', async (t) => {
  const directory = await directoryFor(t)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '\n', ' '), maxLength: 30 })),
      async (pieces) => {
        const log = ContainerLog.begin(directory, 0, new FakeClock())
        for (const piece of pieces) await log.append('stdout', Buffer.from(piece))
        log.close()
        assert.equal(await textOf(log), pieces.join(''))
      },
    ),
    { numRuns: 50 },
  )
})

test('ContainerLog: keeps lines that are longer than a part', async (t) => {
  const log = ContainerLog.begin(await directoryFor(t), 0, new FakeClock())
  const long = 'x'.repeat(40_000)
  await log.append('stderr', Buffer.from(long))
  await log.append('stderr', Buffer.from(`${long}\nnext\n`))
  assert.equal(await textOf(log), `${long}${long}\nnext\n`)
  assert.equal(await textOf(log, { tailLines: 1 }), 'next\n')
})

test('ContainerLog: rotates full files and removes the oldest', async (t) => {
  const directory = await directoryFor(t)
  const log = ContainerLog.begin(directory, 3, new FakeClock(), 200)
  for (let line = 0; line < 40; line++) await log.append('stdout', Buffer.from(`line ${line}\n`))
  assert.equal((await readdir(directory)).length, 5)
  const lines = (await textOf(log)).trimEnd().split('\n')
  assert.equal(lines.at(-1), 'line 39')
  assert.ok(lines.length >= 20 && lines.length < 40)
  assert.equal(await textOf(log, { tailLines: 12 }), `${lines.slice(-12).join('\n')}\n`)
  assert.deepEqual(await textOf(log, { tailLines: 1_000 }), `${lines.join('\n')}\n`)
})

test('ContainerLog: follows across files until the end', async (t) => {
  const log = ContainerLog.begin(await directoryFor(t), 0, new FakeClock(), 300)
  await log.append('stdout', Buffer.from('first\n'))
  const followed = textOf(log, { follow: true })
  for (let line = 0; line < 20; line++) {
    await new Promise((resolve) => setImmediate(resolve))
    await log.append('stdout', Buffer.from(`line ${line}\n`))
  }
  log.close()
  const text = await followed
  assert.ok(text.startsWith('first\nline 0\n') && text.endsWith('line 19\n'), text)
})

test('ContainerLog: many followers share descriptors, and each gets all lines', async (t) => {
  const clock = new FakeClock()
  const log = ContainerLog.begin(await directoryFor(t), 0, clock, 300)
  await log.append('stdout', Buffer.from('first\n'))
  const before = openFiles()
  const followed = Array.from({ length: 200 }, () => textOf(log, { follow: true }))
  for (let line = 0; line < 20; line++) {
    await new Promise((resolve) => setImmediate(resolve))
    await log.append('stdout', Buffer.from(`line ${line}\n`))
    clock.advance(10)
  }
  assert.ok(openFiles() - before < 20, `${openFiles() - before} more open files`)
  log.close()
  let isOver = false
  const ended = Promise.all(followed).finally(() => {
    isOver = true
  })
  while (!isOver) {
    clock.advance(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const texts = await ended
  assert.equal(texts.filter((text) => text.startsWith('first\n') && text.endsWith('line 19\n')).length, 200)
})

test('ContainerLog: keeps the logs of the previous run', async (t) => {
  const directory = await directoryFor(t)
  const clock = new FakeClock()
  for (const run of [0, 1, 2]) {
    const log = ContainerLog.begin(directory, run, clock)
    await log.append('stdout', Buffer.from(`run ${run}\n`))
    log.close()
  }
  assert.equal(ContainerLog.ended(directory, 0, clock), undefined)
  const before = ContainerLog.ended(directory, 1, clock)
  assert.ok(before !== undefined)
  assert.equal(await textOf(before, { follow: true }), 'run 1\n')
})

test('ContainerLog: selects lines by time and stream', async (t) => {
  const clock = new FakeClock()
  const log = ContainerLog.begin(await directoryFor(t), 0, clock)
  await log.append('stdout', Buffer.from('old\n'))
  clock.advance(10_000)
  await log.append('stderr', Buffer.from('new\n'))
  assert.equal(await textOf(log, { since: clock.now() }), 'new\n')
  assert.equal(await textOf(log, { stream: 'stdout' }), 'old\n')
  assert.equal(await textOf(log, { stream: 'stderr', timestamps: true }), '2030-01-01T00:00:10.000Z new\n')
})
