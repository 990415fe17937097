import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue, KubeObject } from '@orrery/kinds'
import type { CustomResourceColumnDefinition } from '@orrery/kinds/apiextensions'
import { columnsOf } from './columns.js'

const NOW = new Date('2024-05-01T01:00:00Z')

const object: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', creationTimestamp: '2024-05-01T00:00:00Z' },
  spec: {
    text: 'a<b',
    count: 3,
    ratio: 1.5,
    flag: false,
    empty: '',
    nothing: null,
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
    when: '2024-04-30T00:00:00Z',
    never: 'x',
  },
}

function cell(type: string, jsonPath: string): JsonValue | undefined {
  const [column] = columnsOf([{ name: 'C', type, jsonPath }])
  return column?.cell(object, NOW)
}

test('columnsOf: returns the age without columns', () => {
  const [age, ...none] = columnsOf([])
  assert.deepEqual(none, [])
  assert.equal(age?.name, 'Age')
  assert.equal(age?.type, 'date')
  assert.equal(age?.cell(object, NOW), '60m')
})

test('columnsOf: formats values of the column type', () => {
  assert.equal(cell('string', '.spec.text'), 'a<b')
  assert.equal(cell('string', '.spec.count'), '3')
  assert.equal(cell('string', '.spec.flag'), 'false')
  assert.equal(cell('string', '.spec.empty'), '')
  assert.equal(cell('string', '.spec.nothing'), '<no value>')
  assert.equal(cell('string', '.spec.ports[0]'), '{"name":"a","port":1}')
  assert.equal(cell('string', '.spec.ports[*].name'), 'a')
  assert.equal(cell('string', '.spec.ports[?(@.name=="b")].port'), '2')
  assert.equal(cell('integer', '.spec.ratio'), 1)
  assert.equal(cell('integer', '.spec.text'), null)
  assert.equal(cell('number', '.spec.ratio'), 1.5)
  assert.equal(cell('boolean', '.spec.flag'), false)
  assert.equal(cell('boolean', '.spec.text'), null)
  assert.equal(cell('date', '.spec.when'), '25h')
  assert.equal(cell('date', '.spec.never'), '<invalid>')
  assert.equal(cell('date', '.spec.empty'), '<unknown>')
})

test('columnsOf: returns null for missing values', () => {
  for (const type of ['string', 'integer', 'number', 'boolean', 'date']) assert.equal(cell(type, '.spec.no.such'), null)
  assert.equal(cell('string', '.spec.text.deeper'), null)
})

test('columnsOf: describes a column by its path if it has no description', () => {
  const definitions: CustomResourceColumnDefinition[] = [
    { name: 'A', type: 'string', jsonPath: '.spec.a', priority: 1, format: 'byte' },
    { name: 'B', type: 'string', jsonPath: '.spec.b', description: 'B.' },
    { name: 'C', type: 'string', jsonPath: '.spec[' },
    { name: 'D', type: 'string', jsonPath: '.spec.d' },
  ]
  assert.deepEqual(
    columnsOf(definitions).map(({ name, description, priority, format }) => [name, description, priority, format]),
    [
      ['A', 'Custom resource definition column (in JSONPath format): .spec.a', 1, 'byte'],
      ['B', 'B.', 0, ''],
    ],
  )
})

function manyColumns(jsonPath: string) {
  return columnsOf(Array.from({ length: 1000 }, (_, index) => ({ name: `C${index}`, type: 'string', jsonPath })))
}

test('columns: cells beyond a mebibyte of a row are empty', () => {
  const large = { ...object, spec: { text: 'x'.repeat(300_000) } }
  const columns = manyColumns('.spec')
  for (const row of [1, 2]) {
    const shown = columns.map((column) => column.cell(large, NOW)).filter((value) => value !== null)
    assert.equal(shown.length, 4, `row ${row}`)
  }
})

test('columns: cells whose paths visit too many values of a row are empty', () => {
  const deep: KubeObject = { ...object, spec: Array.from({ length: 5000 }, () => ({ a: { a: 'x' } })) }
  const found = manyColumns('.spec..a')
    .map((column) => column.cell(deep, NOW))
    .filter((value) => value !== null)
  assert.ok(found.length > 0 && found.length < 50, `${found.length} cells`)
})
