import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { formatGroupVersion, StatusError } from '@orrery/kinds/values'
import { builtinResources } from '../kinds/index.js'
import { columnsFor } from '../printers/builtin.js'
import { type ListParts, partialMetadataParts, tableParts } from '../printers/render.js'
import type { ResponseForm } from '../request/accept.js'
import { serialiseObject } from './forms.js'
import { listWriter } from './list-writer.js'

const objects: KubeObject[] = ['a', 'b: c', "it's\nlong"].map((name, index) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `name-${index}`, annotations: { '': 'x', note: name } },
  data: { 'items: []': '\nitems: []\n', text: `first\n${name}\n` },
}))
const meta = { resourceVersion: '7', continue: 'items: []' }
const item = (object: KubeObject) => object as unknown as JsonObject
const LISTS: readonly ListParts[] = [
  {
    head: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: meta },
    member: 'items',
    item,
    itemText: (object) => JSON.stringify(object),
  },
  partialMetadataParts(meta, 'v1'),
  tableParts(
    { columns: columnsFor('', 'configmaps'), custom: false },
    { includeObject: 'Object', now: new Date(0), listMeta: meta },
  ),
]
const form = (serialization: ResponseForm['serialization']): ResponseForm => ({
  serialization,
  shape: 'object',
  metaVersion: 'v1',
})

function written(
  parts: ListParts,
  count: number,
  serialization: ResponseForm['serialization'],
  pretty = false,
): string {
  const writer = listWriter(parts, form(serialization), pretty)
  for (const object of objects.slice(0, count)) writer.add(object)
  return Buffer.concat(writer.finish().chunks).toString('latin1')
}

test('listWriter: writes the same list item by item as at once', () => {
  for (const parts of LISTS) {
    for (const count of [0, 1, 3]) {
      const whole = { ...parts.head, [parts.member]: objects.slice(0, count).map((object) => parts.item(object)) }
      for (const [serialization, pretty] of [['json'], ['json', true], ['yaml'], ['protobuf']] as const) {
        if (serialization === 'protobuf' && parts.member === 'rows') continue
        const { chunks } = serialiseObject(whole, form(serialization), pretty ?? false)
        assert.equal(written(parts, count, serialization, pretty), Buffer.concat(chunks).toString('latin1'))
      }
    }
  }
})

test('listWriter: refuses a Table as protobuf before it writes a row', () => {
  const [, , table] = LISTS as readonly [ListParts, ListParts, ListParts]
  assert.throws(
    () => listWriter(table, form('protobuf'), false),
    (error) => error instanceof StatusError && error.code === 406,
  )
})

test('listWriter: encodes lists of built-in kinds as the same protobuf in parts and at once', () => {
  const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b', labels: { c: 'd' } } }]
  let lists = 0
  for (const { group, version, listKind, verbs } of builtinResources()) {
    if (!verbs.includes('list')) continue
    const head = { kind: listKind, apiVersion: formatGroupVersion(group, version), metadata: meta }
    const { chunks } = serialiseObject({ ...head, items }, form('protobuf'), false)
    const writer = listWriter({ head, member: 'items', item, itemText: JSON.stringify }, form('protobuf'), false)
    for (const one of items) writer.add({ ...head, ...one })
    assert.deepEqual(Buffer.concat(writer.finish().chunks), Buffer.concat(chunks), listKind)
    lists++
  }
  assert.ok(lists > 50, `${lists} lists`)
})
