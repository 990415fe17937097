import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Container } from '@orrery/kinds'
import { commandOf } from './command.js'

const line = (program: Parameters<typeof commandOf>[0], container: Partial<Container>) => {
  const { registered, own } = commandOf(program, { name: 'c', ...container }, (name) =>
    name === 'A' ? 'x' : undefined,
  )
  return [...registered, ...own]
}

test('commandOf: runs the entry point with the arguments of the container', () => {
  const program = { command: ['node', 'app.js'], args: ['serve'], commands: { '/check': ['node', 'check.js'] } }
  assert.deepEqual(line(program, {}), ['node', 'app.js', 'serve'])
  assert.deepEqual(line(program, { args: ['--a=$(A)'] }), ['node', 'app.js', '--a=x'])
  assert.deepEqual(line(program, { command: ['/check'], args: ['now'] }), ['node', 'check.js', 'now'])
})

test('commandOf: takes the command from the arguments if the image has no entry point', () => {
  const program = { command: [], args: ['/app', 'help'], commands: { '/app': ['/opt/app'] } }
  assert.deepEqual(line(program, { args: ['/app', 'agent', '--a=$(A)'] }), ['/opt/app', 'agent', '--a=x'])
  assert.deepEqual(line(program, {}), ['/opt/app', 'help'])
  assert.deepEqual(line({ ...program, fixedArgs: true }, {}), ['/opt/app', 'help'])
  assert.throws(() => line({ ...program, fixedArgs: true }, { args: ['/app', 'agent'] }), /accepts no arguments/)
  assert.throws(() => line(program, { args: ['agent'] }), /does not allow the command "agent"/)
})
