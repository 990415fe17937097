import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError } from 'commander'
import { nameList, namespacedName, seconds, shellWord, workName } from './words.js'

test('names come in lists with commas, and in several options', () => {
  assert.deepEqual(nameList('a, b', nameList('c,a')), ['c', 'a', 'b'])
  for (const text of ['', 'a,', ',a', 'a,,b']) assert.throws(() => nameList(text), InvalidArgumentError)
})

test('seconds are whole and positive', () => {
  assert.equal(seconds('300'), 300)
  for (const text of ['0', '-1', '1.5', '', 'ten']) assert.throws(() => seconds(text), InvalidArgumentError)
})

test('works are called what agents can keep', () => {
  assert.equal(workName('web.v2'), 'web.v2')
  assert.throws(() => workName('Bad Name'), /It cannot be the name of a work: a lowercase RFC 1123 subdomain/)
  assert.throws(() => workName('x'.repeat(189)), /up to 188 characters/)
})

test('what is in a namespace has two names', () => {
  assert.deepEqual(namespacedName('a/b'), { namespace: 'a', name: 'b' })
  for (const text of ['a', '/a', 'a/', 'a/b/c']) assert.throws(() => namespacedName(text), InvalidArgumentError)
})

test('what a shell would take apart is quoted', () => {
  assert.equal(shellWord('https://hub:6443'), 'https://hub:6443')
  assert.equal(shellWord("it's; rm"), `'it'\\''s; rm'`)
})
