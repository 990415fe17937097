import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { compileVersion } from '../crd/compile.js'
import type { Crd } from '../crd/types.js'
import { StoredEntry } from '../store/entry.js'
import { customLogic } from './custom.js'

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer', default: 3 } } } },
  },
}

function definition(...versions: string[]): Crd {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.test' },
    spec: {
      group: 'example.test',
      scope: 'Namespaced',
      names,
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
    status: { acceptedNames: names, conditions: [], storedVersions: versions },
  } as unknown as Crd
}

function stored(apiVersion: string, spec: object): StoredEntry {
  const object = { apiVersion, kind: 'Thing', metadata: { name: 'x', resourceVersion: '5' }, spec }
  return new StoredEntry('things.example.test', 'default', 'x', 5, Buffer.from(JSON.stringify(object)))
}

test('customLogic: reads an object of an older schema with the current one', () => {
  const compiled = compileVersion(definition('v1'), 'v1')
  const conversion = { remote: false, convert: (object: KubeObject) => object }
  const entry = stored('example.test/v1', { gone: true })
  const today = customLogic(compiled, conversion, new Map(), 5)
  assert.deepEqual((JSON.parse(String(today.servedBytes(entry))) as KubeObject).spec, { n: 3 })
  assert.deepEqual((today.fromStorage(entry.object()) as KubeObject).spec, { n: 3 })
  assert.deepEqual(entry.object().spec, { gone: true })
  const fresh = customLogic(compiled, conversion, new Map(), 4)
  assert.equal(fresh.servedBytes(entry), entry.bytes)
  assert.equal(fresh.fromStorage(entry.object()), entry.object())
})

test('customLogic: may be asynchronous at every version with a conversion webhook', async () => {
  const crd = definition('v2', 'v1')
  const convert = async (object: KubeObject, apiVersion: string) => ({ ...object, apiVersion })
  const logic = customLogic(compileVersion(crd, 'v2'), { remote: true, convert }, new Map(), 0)
  assert.equal(logic.convertsRemotely, true)
  const entry = stored('example.test/v1', { n: 1 })
  assert.equal(logic.servedBytes(entry), undefined)
  assert.equal((await logic.fromStorage(entry.object())).apiVersion, 'example.test/v2')
  const single = customLogic(compileVersion(definition('v1'), 'v1'), { remote: true, convert }, new Map(), 0)
  assert.equal(single.convertsRemotely, false)
})

test('customLogic: returns no bytes if a webhook must convert the object', () => {
  const compiled = compileVersion(definition('v1', 'v2'), 'v2')
  let asked = 0
  const convert = (object: KubeObject) => {
    asked++
    return Promise.resolve(object)
  }
  const logic = customLogic(compiled, { remote: true, convert }, new Map(), 0)
  assert.equal(logic.servedBytes(stored('example.test/v1', {})), undefined)
  assert.equal(asked, 0)
  assert.match(String(logic.servedBytes(stored('example.test/v2', {}))), /"n":3/)
})
