import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError } from 'commander'
import { nameList, namespacedName, seconds, shellWord, workName } from './option-parsers.js'

test('nameList: collects comma-separated names of several options', () => {
  assert.deepEqual(nameList('a, b', nameList('c,a')), ['c', 'a', 'b'])
  for (const text of ['', 'a,', ',a', 'a,,b']) assert.throws(() => nameList(text), InvalidArgumentError)
})

test('seconds: accepts positive integers only', () => {
  assert.equal(seconds('300'), 300)
  for (const text of ['0', '-1', '1.5', '', 'ten']) assert.throws(() => seconds(text), InvalidArgumentError)
})

test('workName: rejects names that agents cannot store', () => {
  assert.equal(workName('web.v2'), 'web.v2')
  assert.throws(() => workName('Bad Name'), /Not a valid name of a work: a lowercase RFC 1123 subdomain/)
  assert.throws(() => workName('x'.repeat(189)), /up to 188 characters/)
})

test('namespacedName: requires a namespace and a name', () => {
  assert.deepEqual(namespacedName('a/b'), { namespace: 'a', name: 'b' })
  for (const text of ['a', '/a', 'a/', 'a/b/c']) assert.throws(() => namespacedName(text), InvalidArgumentError)
})

test('shellWord: quotes special characters', () => {
  assert.equal(shellWord('https://hub:6443'), 'https://hub:6443')
  assert.equal(shellWord("it's; rm"), `'it'\\''s; rm'`)
})
