import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { kindSchema, type StructSchema, structByName } from '@orrery/kinds/tables'
import { ProtobufError } from '@orrery/kube/protobuf'
import fc from 'fast-check'
import { conform } from '../schema/conform.js'
import { arbitraryObject } from '../schema/testing/arbitrary.fixture.js'
import { decodeMessage } from './decode.js'
import { encodeMessage } from './encode.js'

const schemaOf = (kind: string, group = '', version = 'v1'): StructSchema =>
  kindSchema(group, version, kind) as StructSchema
const core = (name: string) => structByName(`io.k8s.api.core.v1.${name}`)
const decode = (hex: string, schema: StructSchema) => decodeMessage(Buffer.from(hex.replaceAll(' ', ''), 'hex'), schema)
const encode = (object: JsonObject, schema: StructSchema) => encodeMessage(object, schema).toString('hex')

/** An empty ObjectMeta: Go writes fields that are not pointers anyway. */
const emptyMeta = '0a10 0a00 1200 1a00 2200 2a00 3200 3800 4200'

/** Messages written by hand: schema, JSON and bytes. */
const vectors: readonly (readonly [what: string, schema: StructSchema, object: JsonObject, hex: string])[] = [
  ['strings and numbers', core('ContainerPort'), { name: 'web', containerPort: 80 }, '0a03776562 1000 1850 2200 2a00'],
  ['a negative number', core('HTTPGetAction'), { port: -1 }, '0a00 120f 0800 10ffffffffffffffffff01 1a00 1a00 2200'],
  ['a port by name', core('TCPSocketAction'), { port: 'web' }, '0a09 0801 1000 1a03776562 1200'],
  ['a quantity in a map', core('ResourceRequirements'), { limits: { cpu: '1' } }, '0a0a 0a03637075 1203 0a0131'],
  ['an inlined struct', core('Volume'), { name: 'v', emptyDir: {} }, '0a0176 1204 1202 0a00'],
  ['bytes in a map', core('Secret'), { metadata: {}, data: { k: 'AQI=' } }, `${emptyMeta} 1207 0a016b 12020102 1a00`],
  ['a time', core('NodeCondition'), condition('1970-01-01T00:00:01Z'), '0a0154 1200 1a04 08011000 2200 2a00 3200'],
  ['flags behind pointers', core('SecurityContext'), { privileged: false }, '1000'],
  ['repeated numbers', core('PodSecurityContext'), { supplementalGroups: [1, 300] }, '2001 20ac02'],
]

for (const [what, schema, object, hex] of vectors) {
  test(`encodeMessage, decodeMessage: support ${what}`, () => {
    assert.deepEqual(decode(hex, schema), object)
    assert.equal(encode(object, schema), hex.replaceAll(' ', ''))
  })
}

test('encodeMessage, decodeMessage: wrap each list of a map in a message', () => {
  const user = structByName('io.k8s.api.authentication.v1.UserInfo')
  const object = { extra: { k: ['a', 'b'] } }
  assert.deepEqual(decodeMessage(encodeMessage(object, user), user), object)
  assert.equal(encode(object, user), '0a001200220b0a016b12060a01610a0162')
})

test('decodeMessage: reads packed numbers', () => {
  assert.deepEqual(decode('2203 01ac02', core('PodSecurityContext')), { supplementalGroups: [1, 300] })
})

test('decodeMessage: skips unknown fields and merges duplicate ones', () => {
  assert.deepEqual(decode('f87f01 0a0161 0a0162', core('LocalObjectReference')), { name: 'b' })
  assert.deepEqual(decode('0a03 0a0161 0a03 120162', core('Pod')).metadata, { name: 'a', generateName: 'b' })
  assert.deepEqual(decode('0a0161 0a00', core('LocalObjectReference')), {})
})

test('decodeMessage: fills in zero values of a map entry', () => {
  assert.deepEqual(decode('1200', core('ConfigMap')), { metadata: {}, data: { '': '' } })
})

test('decodeMessage: shows the same fields as Go', () => {
  assert.deepEqual(decode('', schemaOf('Deployment', 'apps')), conform({}, schemaOf('Deployment', 'apps')).object)
  assert.deepEqual(decode('0a00 1000', core('ContainerPort')), { containerPort: 0 })
})

test('decodeMessage: parses JSON inside protobuf', () => {
  const schema = schemaOf('ControllerRevision', 'apps')
  const object = { metadata: {}, data: { a: [1, null] }, revision: 3 }
  assert.deepEqual(decodeMessage(encodeMessage(object, schema), schema), object)
  assert.throws(() => decode('12040a027b7b', schema), /json parse error/)
  assert.throws(() => decode(`12150a13${Buffer.from('{"__proto__": {} }').toString('hex')}20`, schema), /__proto__/)
})

test('decodeMessage: refuses messages of another kind', () => {
  const refused = (hex: string, schema: StructSchema) => assert.throws(() => decode(hex, schema), ProtobufError, hex)
  refused('0801', core('ConfigMap'))
  refused('0aff', core('ConfigMap'))
  refused('0a0561', core('LocalObjectReference'))
  refused('100a', core('ConfigMap'))
  refused('0a0a 0a03637075 1203 0a0178', core('ResourceRequirements'))
  refused('08 ffffffffffffffff7f', structByName('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'))
  refused('22 0b 08 ffffffffffffffff7f 1000', core('NodeCondition'))
  refused(`12 0d 0a 09 ${Buffer.from('__proto__').toString('hex')} 1200`, core('ConfigMap'))
})

test('decodeMessage: limits nesting', () => {
  const schema = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')
  const nested = (depth: number) => {
    let object: JsonObject = { type: 'x' }
    for (let level = 0; level < depth; level++) object = { not: object }
    return encodeMessage(object, schema)
  }
  decodeMessage(nested(990), schema)
  assert.throws(() => decodeMessage(nested(1001), schema), /max depth/)
})

const kinds: readonly (readonly [kind: string, group: string, version?: string])[] = [
  ['Pod', ''],
  ['Service', ''],
  ['Node', ''],
  ['StatefulSet', 'apps'],
  ['CustomResourceDefinition', 'apiextensions.k8s.io'],
  ['HorizontalPodAutoscaler', 'autoscaling', 'v2'],
  ['SubjectAccessReview', 'authorization.k8s.io'],
  ['Event', 'events.k8s.io'],
]

test('encodeMessage, decodeMessage: restore objects', () => {
  for (const [kind, group, version] of kinds) {
    const schema = schemaOf(kind, group, version)
    fc.assert(
      fc.property(arbitraryObject(schema), (given) => {
        const { object } = conform(given, schema)
        assert.deepEqual(decodeMessage(encodeMessage(object, schema), schema), JSON.parse(JSON.stringify(object)))
      }),
      { numRuns: 60 },
    )
  }
})

test('decodeMessage: only throws ProtobufError for arbitrary bytes', () => {
  const isRefusal = (error: unknown) => error instanceof ProtobufError || (error as Error).name === 'StatusError'
  for (const [kind, group, version] of kinds) {
    const schema = schemaOf(kind, group, version)
    const mutated = arbitraryObject(schema).chain((object) => {
      const bytes = encodeMessage(conform(object, schema).object, schema)
      const flips = fc.array(fc.tuple(fc.nat(bytes.length), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      })
      return flips.map((changes) => {
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
        return bytes
      })
    })
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        try {
          decodeMessage(Buffer.from(bytes), schema)
        } catch (error) {
          assert.ok(isRefusal(error), String(error))
        }
      }),
      { numRuns: 150 },
    )
  }
})

function condition(lastHeartbeatTime: string): JsonObject {
  return { type: 'T', status: '', lastHeartbeatTime, lastTransitionTime: null }
}
