import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { ownedPart } from './owned-fields.js'

const object = {
  metadata: { name: 'x', labels: { mine: '1', theirs: '2' }, finalizers: ['a', 'b'] },
  spec: {
    replicas: 3,
    emptyDir: {},
    atomic: { a: 1, b: [2] },
    containers: [
      { name: 'app', image: 'one', ports: [{ containerPort: 80, protocol: 'TCP' }] },
      { name: 'injected', image: 'two' },
    ],
  },
}

test('ownedPart: returns only fields in the set, and list items by their keys', () => {
  const fields: JsonObject = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:mine': {} }, 'f:finalizers': { '.': {}, 'v:"b"': {} } },
    'f:spec': {
      'f:emptyDir': {},
      'f:atomic': {},
      'f:gone': {},
      'f:containers': {
        'k:{"name":"app"}': {
          '.': {},
          'f:name': {},
          'f:image': {},
          'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
        },
      },
    },
  }
  assert.deepEqual(ownedPart(object, fields), {
    metadata: { labels: { mine: '1' }, finalizers: ['b'] },
    spec: {
      emptyDir: {},
      atomic: { a: 1, b: [2] },
      containers: [{ name: 'app', image: 'one', ports: [{ containerPort: 80 }] }],
    },
  })
})

test('ownedPart: returns nothing for a set that does not match the object', () => {
  assert.deepEqual(ownedPart({ spec: 1 }, { 'f:spec': { 'f:replicas': {} } }), {})
  assert.deepEqual(ownedPart({ list: [1] }, { 'f:list': { 'k:{"name":"x"}': {}, 'f:odd': {} } }), { list: [] })
  assert.deepEqual(ownedPart({}, { 'f:__proto__': {}, 'f:constructor': {} }), {})
})
