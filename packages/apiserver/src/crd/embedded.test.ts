import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaTree } from '@orrery/cel/schema'
import type { JsonObject } from '@orrery/kinds'
import { formatFieldError } from '@orrery/kinds/values'
import { coerceEmbedded, coerceMetadata, embeddedErrors } from './embedded.js'

const node = schemaTree({
  type: 'object',
  properties: {
    list: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
})

test('coerceMetadata: keeps only fields of metadata', () => {
  const object: JsonObject = {
    metadata: {
      name: 'x',
      labels: { a: 'b' },
      foo: 1,
      creationTimestamp: null,
      ownerReferences: [{ name: 'o', bar: 1 }],
    },
  }
  assert.deepEqual(coerceMetadata(object).sort(), ['metadata.foo', 'metadata.ownerReferences[0].bar'])
  assert.equal((object.metadata as JsonObject).foo, undefined)
  assert.equal('creationTimestamp' in (object.metadata as JsonObject), false)
})

test('coerceMetadata: refuses metadata of the wrong type', () => {
  assert.throws(() => coerceMetadata({ metadata: { labels: { a: 1 } } }), {
    message: 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  })
  assert.throws(() => coerceMetadata({ metadata: 'x' }), {
    message: 'json: cannot unmarshal string into Go value of type v1.ObjectMeta',
  })
})

test('coerceEmbedded: handles embedded resources, with their path', () => {
  const unknown: string[] = []
  coerceEmbedded({ list: [{ apiVersion: 'v1', kind: 'Pod', metadata: { zip: 1 }, zap: 1 }] }, node, '', unknown)
  assert.deepEqual(unknown, ['list[0].metadata.zip'])
  assert.throws(() => coerceEmbedded({ list: [{ kind: 3 }] }, node, '', []), {
    message: 'list[0].kind: Invalid value: 3: must be a string',
  })
  assert.throws(() => coerceEmbedded({ list: [{ metadata: { labels: { a: 1 } } }] }, node, '', []), {
    message:
      'list[0].metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  })
})

test('embeddedErrors: requires a valid type and metadata of embedded resources', () => {
  const errors = embeddedErrors(
    {
      list: [
        {},
        { apiVersion: 'a/b/c', kind: '9x' },
        { apiVersion: '', kind: '' },
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b' } },
      ],
    },
    node,
    '',
  ).map(formatFieldError)
  assert.deepEqual(errors.slice(0, 3), [
    'list[0].apiVersion: Required value',
    'list[0].kind: Required value',
    'list[1].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ])
  assert.match(
    errors[3] as string,
    /^list\[1\]\.kind: Invalid value: "9x": may have mixed case, but should otherwise match: a DNS-1035/,
  )
  assert.deepEqual(errors.slice(4), [
    'list[2].apiVersion: Invalid value: "": must not be empty',
    'list[2].kind: Invalid value: "": must not be empty',
    `list[3].metadata.name: Invalid value: "a/b": may not contain '/'`,
  ])
})
