import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedVariable } from './executing-variables.js'

const GIVEN = new Map([
  ['PATH', '/usr/bin'],
  ['HOME', '/root'],
])

function refused(name: string, allowed: readonly string[] = [], isIsolated = true): string | undefined {
  return refusedVariable(new Map([...GIVEN, [name, 'x']]), GIVEN, allowed, isIsolated)
}

test('refusedVariable: returns a variable that changes what is executed', () => {
  const names = ['PATH', 'NODE_OPTIONS', 'LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'PYTHONPATH', 'BASH_ENV']
  for (const name of [...names, 'BASH_FUNC_ls%%', 'OPENSSL_CONF', 'JAVA_TOOL_OPTIONS', 'PERL5OPT', 'GIT_SSH']) {
    assert.equal(refused(name), name)
  }
})

test('refusedVariable: accepts ordinary variables and unchanged values', () => {
  for (const name of [
    'MODE',
    'NODE_ENV',
    'NODE_EXTRA_CA_CERTS',
    'PYTHONUNBUFFERED',
    'LANG',
    'ENV',
    'GIT_COMMIT',
    'toString',
  ]) {
    assert.equal(refused(name), undefined)
  }
  assert.equal(refusedVariable(new Map(GIVEN), GIVEN, [], false), undefined)
})

test('refusedVariable: accepts variables that the registration allows by name or prefix', () => {
  assert.equal(refused('NODE_OPTIONS', ['NODE_OPTIONS']), undefined)
  assert.equal(refused('LD_PRELOAD', ['LD_*']), undefined)
  assert.equal(refused('LD_PRELOAD', ['LD_LIBRARY_PATH']), 'LD_PRELOAD')
})

test('refusedVariable: refuses another HOME only without isolation', () => {
  assert.equal(refused('HOME', [], true), undefined)
  assert.equal(refused('HOME', [], false), 'HOME')
})
