import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import { negotiate, negotiateObject } from './accept.js'

const form = (accept: string | undefined) => {
  const { serialization, shape } = negotiate(accept)
  return `${serialization} ${shape}`
}

test('negotiate: selects the first accepted form, for whole objects JSON before protobuf', () => {
  assert.equal(form(undefined), 'json object')
  assert.equal(form('*/*'), 'json object')
  assert.equal(form('application/vnd.kubernetes.protobuf, application/json'), 'json object')
  assert.equal(form('application/vnd.kubernetes.protobuf'), 'protobuf object')
  assert.equal(form('application/yaml'), 'yaml object')
  assert.equal(
    form(
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
    ),
    'json table',
  )
  assert.equal(
    form(
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    ),
    'protobuf metadata',
  )
  assert.equal(form('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'), 'json object')
  assert.equal(form('application/json;q=0.1,application/yaml'), 'yaml object')
})

test('negotiate: returns derived forms in the requested meta.k8s.io version', () => {
  const version = (accept: string) => negotiate(accept).metaVersion
  assert.equal(version('application/json;as=Table;v=v1;g=meta.k8s.io'), 'v1')
  assert.equal(version('application/json;as=Table;v=v1beta1;g=meta.k8s.io'), 'v1beta1')
  assert.equal(version('application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io'), 'v1beta1')
})

test('negotiate: returns a 406 if no form is supported', () => {
  for (const accept of ['text/html', 'application/json;as=Table;v=v9;g=meta.k8s.io', 'application/json;q=0']) {
    assert.throws(
      () => negotiate(accept),
      (error) => error instanceof StatusError && error.code === 406,
    )
  }
})

test('negotiateObject: returns whole objects only, or a 406', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  assert.equal(negotiateObject(`${table},application/yaml`).serialization, 'yaml')
  assert.equal(negotiateObject(undefined).shape, 'object')
  assert.throws(
    () => negotiateObject(table),
    (error) => error instanceof StatusError && error.code === 406,
  )
})
