import assert from 'node:assert/strict'
import test from 'node:test'
import { ageOf } from './age.js'
import { formatDocument, listOf } from './output.js'
import { formatTable, plainText } from './table.js'

test('formatTable: formats rows as kubectl does', () => {
  const rows = [
    { name: 'cluster1', works: 12, note: '' },
    { name: 'c2', works: 0, note: 'x' },
  ]
  const table = formatTable(rows, [
    { title: 'name', value: ({ name }) => name },
    { title: 'works', value: ({ works }) => works },
    { title: 'note', value: ({ note }) => note },
  ])
  assert.equal(table, 'NAME       WORKS   NOTE\ncluster1   12      <none>\nc2         0       x\n')
})

test('plainText: replaces control characters and line breaks', () => {
  assert.equal(plainText('a\u001b[2Jb\r\nc\u202ed\u0007'), 'a�[2Jb c�d�')
})

test('ageOf: formats ages as kubectl does', () => {
  const now = new Date('2026-01-01T00:10:05Z')
  assert.equal(ageOf('2026-01-01T00:10:00Z', now), '5s')
  assert.equal(ageOf('2025-12-31T23:10:05Z', now), '60m')
  assert.equal(ageOf(undefined, now), '<unknown>')
  assert.equal(ageOf('soon', now), '<unknown>')
})

test('formatDocument: writes JSON and YAML that kubectl can read', async () => {
  const list = listOf([{ a: 'yes', b: '2001-01-01' }])
  assert.deepEqual(JSON.parse(await formatDocument('json', list)), list)
  assert.match(await formatDocument('yaml', list), /^apiVersion: v1\nkind: List\n.*- a: "yes"\n/s)
})
