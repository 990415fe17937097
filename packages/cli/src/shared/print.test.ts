import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { note, noteText, print, printText } from './print.js'

const HOSTILE = 'a\u001b]0;title\u0007b\u009b2J'
const CLEAN = 'a�]0;title�b�2J'

test('print: replaces control characters in lines and texts', (t) => {
  const out = t.mock.method(process.stdout, 'write', () => true)
  print(`work ${HOSTILE}\nforged`)
  printText(`${HOSTILE}:\n\n  x\r\n`)
  const printed = out.mock.calls.map((call) => call.arguments[0])
  out.mock.restore()
  assert.deepEqual(printed, [`work ${CLEAN} forged\n`, `${CLEAN}:\n\n  x \n`])
  const err = t.mock.method(process.stderr, 'write', () => true)
  note(`${HOSTILE}: not found`)
  noteText(`${HOSTILE}\n`)
  const noted = err.mock.calls.map((call) => call.arguments[0])
  err.mock.restore()
  assert.deepEqual(noted, [`${CLEAN}: not found\n`, `${CLEAN}\n`])
})

test('print: is the only way to standard output and standard error', () => {
  const compiled = dirname(dirname(fileURLToPath(import.meta.url)))
  const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.endsWith('.test.js'),
  )
  const direct = files.filter((file) =>
    /process\.(stdout|stderr)\.write\(|console\.\w+\(/.test(readFileSync(join(compiled, file), 'utf8')),
  )
  assert.deepEqual(direct, [join('shared', 'print.js')])
})
