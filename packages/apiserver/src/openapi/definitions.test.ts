import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { structByName } from '@orrery/kinds/tables'
import { Definitions, type Dialect } from './definitions.js'

const SPEC = 'io.k8s.api.core.v1.PersistentVolumeSpec'
const REFERENCE = 'io.k8s.api.core.v1.ObjectReference'

function volumeSpec(dialect: Dialect) {
  const definitions = new Definitions(dialect, new Map())
  definitions.struct(structByName(SPEC))
  const written = Object.fromEntries(definitions) as Record<
    string,
    { properties: Record<string, JsonObject> } & JsonObject
  >
  return { properties: written[SPEC]?.properties ?? {}, reference: written[REFERENCE] }
}

test('Definitions: writes one use of an atomic type as granular', () => {
  for (const dialect of ['v2', 'v3'] as const) {
    const { properties, reference } = volumeSpec(dialect)
    assert.equal(reference?.['x-kubernetes-map-type'], 'atomic')
    assert.equal(properties.claimRef?.['x-kubernetes-map-type'], 'granular')
    assert.equal(properties.capacity?.['x-kubernetes-map-type'], undefined)
    assert.equal(properties.csi?.['x-kubernetes-map-type'], undefined)
  }
  assert.deepEqual(volumeSpec('v3').properties.claimRef?.allOf, [{ $ref: `#/components/schemas/${REFERENCE}` }])
})
