import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { markOf } from '../process/process-mark.js'
import { candidateIdentity } from './candidate-identity.js'

const { identity, isGone } = candidateIdentity()

test('candidateIdentity: differs for two elections of one process', () => {
  assert.notEqual(candidateIdentity().identity, identity)
})

test('candidateIdentity: reports a candidate as gone when its process has ended', {
  skip: process.platform !== 'linux',
}, async () => {
  const other = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1e6)'])
  const { pid, started } = markOf(other.pid!)
  const theirs = identity.replace(/_\d+-\d+_/, `_${pid}-${started}_`)
  assert.deepEqual([isGone(identity), isGone(theirs)], [false, false])
  other.kill('SIGKILL')
  await once(other, 'exit')
  assert.deepEqual([isGone(identity), isGone(theirs)], [false, true])
})

test('candidateIdentity: does not judge processes that it cannot see', () => {
  const elsewhere = identity.replace(/_[0-9a-f]{16}_\d+-\d+_/, '_0123456789abcdef_2147483647-1_')
  assert.deepEqual([elsewhere, 'host_6c7a2f1e', ''].map(isGone), [false, false, false])
})
