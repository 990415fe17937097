import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { kindSchema } from '@orrery/kinds/tables'
import { formatGroupVersion } from '@orrery/kinds/values'
import { conform } from '../schema/conform.js'
import { decodeProtobuf, encodeProtobuf } from './envelope.js'

/** The directory of Kubernetes' round-trip test data: `<group>.<version>.<kind>.{json,pb}` with every field set. */
const corpus = process.env.ORRERY_K8S_TESTDATA

const files =
  corpus !== undefined && existsSync(corpus)
    ? readdirSync(corpus).filter((file) => file.endsWith('.pb') && !file.includes('after_roundtrip'))
    : []

for (const file of files) {
  const parts = file.slice(0, -'.pb'.length).split('.')
  const kind = parts.pop() as string
  const version = parts.pop() as string
  const group = parts.join('.') === 'core' ? '' : parts.join('.')
  const schema = kindSchema(group, version, kind)
  if (schema === undefined) continue

  test(`protobuf: ${kind} of ${formatGroupVersion(group, version)} equals its JSON`, () => {
    // If an old version had fields that were removed, the test data has the result without them.
    const read = (extension: string) => {
      const after = join(corpus as string, file.replace('.pb', `.after_roundtrip.${extension}`))
      return readFileSync(existsSync(after) ? after : join(corpus as string, file.replace('.pb', `.${extension}`)))
    }
    const object = JSON.parse(read('json').toString()) as JsonObject
    const bytes = readFileSync(join(corpus as string, file))
    assert.deepEqual(decodeProtobuf(bytes, { apiVersion: formatGroupVersion(group, version), kind }), object)
    assert.ok(encodeProtobuf(object, schema)?.equals(read('pb')))
    assert.deepEqual(conform(structuredClone(object), schema), { object, unknown: [] })
  })
}
