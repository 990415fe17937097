import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePrograms } from './program.js'

test('parsePrograms: reads a document', () => {
  const program = {
    command: ['node', 'app.js'],
    args: ['-v'],
    env: { A: 'b' },
    commands: { sh: ['bash'] },
    anyCommand: true,
    files: ['/opt/app'],
    allowEnv: ['NODE_OPTIONS'],
    fixedArgs: true,
    isolated: false,
  }
  assert.deepEqual(parsePrograms(JSON.stringify({ 'example.com/app': program }), 'file'), {
    'example.com/app': program,
  })
})

test('parsePrograms: reports the place of a problem', () => {
  const refused = (document: unknown, problem: RegExp) =>
    assert.throws(() => parsePrograms(JSON.stringify(document), 'file'), problem)
  assert.throws(() => parsePrograms('{', 'file'), /^TypeError: file is not JSON/)
  refused([], /file must be an object with images as keys/)
  refused({ a: {} }, /file: a: command must be a list of strings/)
  refused({ a: { command: [] } }, /file: a: command is empty: add an entry point, or commands/)
  refused({ a: { command: [], commands: {} } }, /file: a: command is empty/)
  refused({ a: { command: ['x'], env: { A: 1 } } }, /file: a: env must be an object of strings/)
  refused({ a: { command: ['x'], comand: ['y'] } }, /file: a: unknown field comand/)
  refused({ a: { command: ['x'], anyCommand: 'yes' } }, /file: a: anyCommand must be true or false/)
  refused({ a: { command: ['x'], isolated: 'no' } }, /file: a: isolated must be true or false/)
  refused({ a: { command: ['x'], files: ['app'] } }, /file: a: files must be a list of absolute paths/)
  refused({ a: { command: ['x'], allowEnv: 'PATH' } }, /file: a: allowEnv must be a list of strings/)
})
