import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { openLog, ShortLog } from './part-log.js'

const LINE = 'x'.repeat(9)

test('ShortLog: rotates a log that grows too long, and loses no line', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-log-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'hub.log')
  const descriptor = openLog(file)
  t.after(() => closeSync(descriptor))
  const log = new ShortLog(file, descriptor, 100)
  const write = (number: number) => {
    const line = `${LINE}${number}\n`
    log.makeRoom(line.length)
    writeSync(descriptor, line)
  }
  for (let number = 0; number < 9; number++) write(number)
  assert.equal(readFileSync(file, 'utf8').length, 99)
  for (let number = 0; number < 8; number++) write(number)
  const old = readFileSync(`${file}.old`, 'utf8')
  assert.equal(old.length, 99)
  assert.ok(old.startsWith(`${LINE}0\n`) && old.endsWith(`${LINE}8\n`))
  assert.equal(readFileSync(file, 'utf8').length, 88)
})

test('openLog: rotates a log that is too long at the start', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-log-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'logs', 'hub.log')
  for (const text of ['first', 'second']) {
    const descriptor = openLog(file, 4)
    writeSync(descriptor, text)
    closeSync(descriptor)
  }
  assert.deepEqual(
    [`${file}.old`, file].map((name) => readFileSync(name, 'utf8')),
    ['first', 'second'],
  )
})
