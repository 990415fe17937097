import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subPathOf } from './subpath.js'

const mount = { name: 'v', mountPath: '/data' }
const lookUp = (name: string) =>
  new Map([
    ['POD', 'p1'],
    ['ROOT', '/etc'],
    ['UP', '..'],
  ]).get(name)

test('subPathOf: returns a subPath or an expanded subPathExpr', () => {
  assert.equal(subPathOf(mount, lookUp), '')
  assert.equal(subPathOf({ ...mount, subPath: 'a/$(POD)' }, lookUp), 'a/$(POD)')
  assert.equal(subPathOf({ ...mount, subPathExpr: 'a/$(POD)' }, lookUp), 'a/p1')
})

test('subPathOf: refuses a path outside the volume or with unknown variables', () => {
  const refuses = (subPathExpr: string, why: RegExp) =>
    assert.throws(() => subPathOf({ ...mount, subPathExpr }, lookUp), why)
  refuses('$(ROOT)/passwd', /must not be an absolute path/)
  refuses('a/$(UP)/$(UP)/b', /must not contain '\.\.'/)
  refuses('$(NOBODY)', /missing value for "NOBODY"/)
})
