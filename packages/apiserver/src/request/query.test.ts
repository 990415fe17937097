import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Query } from './query.js'

test('Query: unescapes parameters and keeps all values', () => {
  const query = Query.parse('a=1&a=2&b=x+y%2Cz&&c')
  assert.equal(query.get('a'), '1')
  assert.deepEqual(query.all('a'), ['1', '2'])
  assert.equal(query.get('b'), 'x y,z')
  assert.equal(query.get('c'), '')
  assert.equal(query.has('c'), true)
  assert.equal(query.has('d'), false)
  assert.equal(Query.parse(''), Query.empty)
})

test('Query: supports names such as constructor', () => {
  assert.equal(Query.empty.get('__proto__'), '')
  assert.equal(Query.parse('__proto__=1').get('__proto__'), '1')
  assert.equal(Query.empty.has('constructor'), false)
})

test('Query: treats a flag as false only if it is explicit', () => {
  const query = Query.parse('a=true&b=false&c=0&d=FALSE&e&f=no')
  const flags = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => query.flag(key))
  assert.deepEqual(flags, [true, false, false, false, true, true, false])
})

test('Query: refuses an invalid number', () => {
  const query = Query.parse('a=12&b=-1&c=&d=1e3')
  assert.equal(query.integer('a'), 12)
  assert.equal(query.integer('b'), -1)
  assert.equal(query.integer('c'), undefined)
  assert.throws(() => query.integer('d'), { message: 'strconv.ParseInt: parsing "1e3": invalid syntax' })
})

test('Query: returns a 400 for an invalid escape', () => {
  assert.throws(() => Query.parse('a=%zz'), /invalid URL escape in the query/)
})
