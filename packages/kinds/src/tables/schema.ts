import type { JsonValue } from '../object.js'

/**
 * The shape of a value: enough to prune it, check it, merge it, apply it, decode it from protobuf and document it.
 * Built-in kinds get theirs from the tables in `kinds/`, custom resources from their CRD. Schemas are immutable and
 * may be recursive, so a nested schema can be a getter: hold on to the schema, not to a copy of it.
 */
export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema | AnySchema

/** An object with known fields. */
export interface StructSchema {
  readonly type: 'struct'
  /** The OpenAPI definition name, such as `io.k8s.api.core.v1.PodSpec`. Absent for inline structs of CRDs. */
  readonly name?: string
  readonly fields: ReadonlyMap<string, Field>
  /** Keep fields that are not listed (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserveUnknown: boolean
  /** Owned and replaced as a whole by server-side apply (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean
  /** One use, merged by its fields, of a type that is atomic elsewhere (`x-kubernetes-map-type: granular`). */
  readonly granular?: true
  /** Holds a whole Kubernetes object (`x-kubernetes-embedded-resource`). */
  readonly embedded: boolean
  /** The fields with `presence: 'always'`, so that filling them in costs nothing else. */
  readonly always?: readonly Field[]
  readonly goType?: string
  readonly description?: string
}

/** An object whose keys are data: labels, `ConfigMap.data`, quantities by resource name. */
export interface MapSchema {
  readonly type: 'map'
  readonly values: Schema
  readonly atomic: boolean
  /** Said to be merged by its keys, as it is anyway (`x-kubernetes-map-type: granular`). */
  readonly granular?: true
  readonly goType?: string
  readonly description?: string
}

export interface ListSchema {
  readonly type: 'list'
  readonly items: Schema
  /** How server-side apply merges it: replaced whole, a set of scalars, or objects found by key. */
  readonly topology: 'atomic' | 'set' | 'map'
  /** The key fields of a `map` list. */
  readonly keys: readonly string[]
  /** Protobuf holds it in a message of its own, so that it can be an element of a map. */
  readonly wrapped?: boolean
  readonly goType?: string
  readonly description?: string
}

export interface ScalarSchema {
  readonly type: ScalarType
  /** What Go calls the type (`v1.Protocol`): error messages of built-in kinds name it. */
  readonly goType?: string
  readonly description?: string
}

/** Any JSON at all: `RawExtension`, `JSON`, schemaless parts of a custom resource. Deduced structure in server-side apply. */
export interface AnySchema {
  readonly type: 'any'
  /** A choice between a JSON Schema and something else, which protobuf spells out: and checks inside. */
  readonly choice?: SchemaChoice
  readonly goType?: string
  readonly description?: string
}

/** `items`, `additionalProperties` and `dependencies` of a JSON Schema: a schema, or a list, a boolean or names. */
export interface SchemaChoice {
  readonly or: 'schemas' | 'boolean' | 'strings'
  readonly schema: StructSchema
}

export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  /** A JSON number of unknown width (CRD `integer` without a format). */
  | 'integer'
  | 'number'
  | 'intOrString'
  | 'quantity'
  /** RFC 3339, seconds (`metav1.Time`). */
  | 'time'
  /** RFC 3339 with six decimals (`metav1.MicroTime`). */
  | 'microTime'
  /** A Go duration string (`metav1.Duration`). */
  | 'duration'
  /** Base64. */
  | 'bytes'

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /** Default value given by the schema itself: decides server-side apply list keys (`protocol: TCP`) as well. */
  readonly default?: JsonValue
  /**
   * Field numbers from the protobuf message of the enclosing struct down to this field. More than one where JSON
   * inlines a struct that protobuf nests, as `Volume` does with its source.
   */
  readonly proto?: readonly number[]
  /** Names of the Go structs it is inlined from, outermost first: error messages name them. */
  readonly inlined?: readonly string[]
  /**
   * What Go writes for a value that is absent or zero. `always`: the zero value. `nonzero`: nothing, so that giving
   * zero is the same as giving nothing. Undefined: whatever was given.
   */
  readonly presence?: 'always' | 'nonzero'
  /** Go holds a pointer: absent is not the same as zero, also in protobuf. */
  readonly pointer?: boolean
  /** `x-kubernetes-patch-strategy`. */
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys'
  /** `x-kubernetes-patch-merge-key`. */
  readonly patchMergeKey?: string
}
