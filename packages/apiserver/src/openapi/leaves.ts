import type { JsonObject } from '@orrery/kinds'
import type { ScalarType } from '@orrery/kinds/tables'

/** A type that is not a struct but has a definition, since clients know its name. */
export interface NamedLeaf {
  readonly name: string
  readonly v2: JsonObject
  readonly v3: JsonObject
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

const NAMED_SCALARS: Partial<Record<ScalarType, NamedLeaf>> = {
  intOrString: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    v2: { description: 'A number or a string.', type: 'string', format: 'int-or-string' },
    v3: {
      description: 'A number or a string.',
      format: 'int-or-string',
      oneOf: [{ type: 'integer' }, { type: 'string' }],
    },
  },
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    v2: { description: 'A quantity, such as 500m or 2Gi.', type: 'string' },
    v3: { description: 'A quantity, such as 500m or 2Gi.', oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  time: leaf(`${META}.Time`, { description: 'A time, in RFC 3339.', type: 'string', format: 'date-time' }),
  microTime: leaf(`${META}.MicroTime`, {
    description: 'A time with microseconds, in RFC 3339.',
    type: 'string',
    format: 'date-time',
  }),
  duration: leaf(`${META}.Duration`, { description: 'A duration, such as 1h30m.', type: 'string' }),
}

const PLAIN_SCALARS: Partial<Record<ScalarType, JsonObject>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  integer: { type: 'integer' },
  number: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
}

const NAMED_ANYS: ReadonlyMap<string, NamedLeaf> = new Map([
  [
    'runtime.RawExtension',
    leaf('io.k8s.apimachinery.pkg.runtime.RawExtension', { description: 'An object of any kind.', type: 'object' }),
  ],
  ['v1.FieldsV1', leaf(`${META}.FieldsV1`, { description: 'A set of fields, as a tree.', type: 'object' })],
  ['v1.JSON', leaf(`${CRD}.JSON`, { description: 'Any JSON value.' })],
  ['v1.JSONSchemaPropsOrArray', leaf(`${CRD}.JSONSchemaPropsOrArray`, { description: 'A schema, or a list of them.' })],
  ['v1.JSONSchemaPropsOrBool', leaf(`${CRD}.JSONSchemaPropsOrBool`, { description: 'A schema, or true or false.' })],
  [
    'v1.JSONSchemaPropsOrStringArray',
    leaf(`${CRD}.JSONSchemaPropsOrStringArray`, { description: 'A schema, or a list of names.' }),
  ],
])

export function namedScalar(type: ScalarType): NamedLeaf | undefined {
  return NAMED_SCALARS[type]
}

export function plainScalar(type: ScalarType): JsonObject {
  return { ...PLAIN_SCALARS[type] }
}

/** Returns the definition of an untyped value by its Go type. */
export function namedAny(goType: string): NamedLeaf | undefined {
  return NAMED_ANYS.get(goType)
}

function leaf(name: string, definition: JsonObject): NamedLeaf {
  return { name, v2: definition, v3: definition }
}
