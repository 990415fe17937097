import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { columnsFor } from './builtin.js'
import { column } from './column.js'
import { partialMetadataParts, renderPartialMetadata, renderTableRow } from './render.js'
import { NOW, objectOf, tableOf } from './testing.fixture.js'

const NAMESPACES = { columns: columnsFor('', 'namespaces'), custom: false }
const object = objectOf('Namespace', { status: { phase: 'Active' } }, { resourceVersion: '7', labels: { a: 'b' } })

function parse(bytes: Buffer): JsonObject & { rows: JsonObject[]; columnDefinitions: JsonObject[] } {
  return JSON.parse(bytes.toString())
}

test('tableParts: converts a list to a Table with its metadata', () => {
  const listMeta = { resourceVersion: '12', continue: 'abc', remainingItemCount: 3 }
  const table = tableOf(NAMESPACES, [object], { includeObject: 'Metadata', now: NOW, listMeta })
  assert.equal(table.kind, 'Table')
  assert.equal(table.apiVersion, 'meta.k8s.io/v1')
  assert.deepEqual(table.metadata, listMeta)
  assert.deepEqual(
    table.columnDefinitions.map(({ name }) => name),
    ['Name', 'Status', 'Age'],
  )
  assert.deepEqual(Object.keys(table.columnDefinitions[0] ?? {}), ['name', 'type', 'format', 'description', 'priority'])
  assert.deepEqual(table.rows, [
    {
      cells: ['x', 'Active', '60m'],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    },
  ])
})

test('tableParts: includes as much of the object as requested', () => {
  const rowWith = (includeObject: 'None' | 'Object'): unknown =>
    tableOf(NAMESPACES, [object], { includeObject, now: NOW, listMeta: {} }).rows[0]?.object
  assert.equal(rowWith('None'), null)
  assert.deepEqual(rowWith('Object'), object)
})

test('tableParts: converts an empty list to a Table without rows', () => {
  const table = tableOf(NAMESPACES, [], { includeObject: 'Metadata', now: NOW, listMeta: {} })
  assert.deepEqual(table.rows, [])
  assert.equal(table.columnDefinitions.length, 3)
})

test('renderTableRow: has column definitions only in the first event of a watch', () => {
  const first = parse(renderTableRow(NAMESPACES, object, { includeObject: 'Metadata', now: NOW, headers: true }))
  const second = parse(renderTableRow(NAMESPACES, object, { includeObject: 'Metadata', now: NOW, headers: false }))
  assert.equal(first.columnDefinitions.length, 3)
  assert.equal(second.columnDefinitions, null)
  assert.deepEqual(second.metadata, { resourceVersion: '7' })
})

test('renderTableRow: keeps the annotation of the bookmark after the initial events', () => {
  const metadata = { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } }
  const bookmark = { apiVersion: 'v1', kind: 'Namespace', metadata }
  const table = parse(renderTableRow(NAMESPACES, bookmark, { includeObject: 'None', now: NOW, headers: false }))
  assert.deepEqual(table.rows, [
    {
      cells: ['', '', '<unknown>'],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    },
  ])
})

test('tableParts: has a row condition for a finished pod', () => {
  const pods = { columns: columnsFor('', 'pods'), custom: false }
  const rowOf = (phase: string): JsonObject | undefined =>
    tableOf(pods, [objectOf('Pod', { status: { phase } })], { includeObject: 'None', now: NOW, listMeta: {} }).rows[0]
  assert.equal(rowOf('Running')?.conditions, undefined)
  assert.deepEqual(rowOf('Failed')?.conditions, [
    { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
  ])
})

test('tableParts: does not replace the common Name column by that of a custom resource', () => {
  const columns = [column('Name', 'Another name.', () => 'other')]
  const names = (custom: boolean): unknown =>
    tableOf({ columns, custom }, [object], { includeObject: 'None', now: NOW, listMeta: {} }).rows[0]?.cells
  assert.deepEqual(names(true), ['x', 'other'])
  // Layouts are cached by column list, so the built-in case needs its own list.
  const own = { columns: [...columns], custom: false }
  const table = tableOf(own, [object], { includeObject: 'None', now: NOW, listMeta: {} })
  assert.deepEqual(table.rows[0]?.cells, ['other'])
})

test('renderPartialMetadata: converts objects and lists', () => {
  const one = JSON.parse(renderPartialMetadata(object).toString())
  assert.deepEqual(one, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata })
  const { head, member, item } = partialMetadataParts({ resourceVersion: '12' })
  assert.deepEqual(
    { ...head, [member]: [item(object)] },
    {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '12' },
      items: [one],
    },
  )
})

test('tableParts: supports the older meta version', () => {
  const options = { includeObject: 'Metadata', now: NOW, metaVersion: 'v1beta1' } as const
  const table = tableOf(NAMESPACES, [object], { ...options, listMeta: {} })
  assert.equal(table.apiVersion, 'meta.k8s.io/v1beta1')
  assert.equal((table.rows[0]?.object as JsonObject | undefined)?.apiVersion, 'meta.k8s.io/v1beta1')
  assert.equal(JSON.parse(renderPartialMetadata(object, 'v1beta1').toString()).apiVersion, 'meta.k8s.io/v1beta1')
})
