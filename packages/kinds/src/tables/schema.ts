import type { JsonValue } from '../object.js'

/**
 * The schema of a value, used for pruning, validation, merging, server-side apply, protobuf and documentation.
 * Built-in kinds get it from the tables, custom resources from their CRD. Schemas are immutable and may be recursive,
 * so a nested schema can be a getter: keep the schema itself, not a copy.
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
  /** This use of an atomic type is merged by its fields (`x-kubernetes-map-type: granular`). */
  readonly granular?: true
  /** Contains a whole Kubernetes object (`x-kubernetes-embedded-resource`). */
  readonly embedded: boolean
  /** The fields with `presence: 'always'`, so that they can be filled in without a search. */
  readonly always?: readonly Field[]
  readonly goType?: string
  readonly description?: string
}

/** An object whose keys are data: labels, `ConfigMap.data`, quantities by resource name. */
export interface MapSchema {
  readonly type: 'map'
  readonly values: Schema
  readonly atomic: boolean
  /** Explicitly merged by its keys, which is the default (`x-kubernetes-map-type: granular`). */
  readonly granular?: true
  readonly goType?: string
  readonly description?: string
}

export interface ListSchema {
  readonly type: 'list'
  readonly items: Schema
  /** How server-side apply merges it: as a whole, as a set of scalars, or as objects identified by key. */
  readonly topology: 'atomic' | 'set' | 'map'
  /** The key fields of a `map` list. */
  readonly keys: readonly string[]
  /** Protobuf wraps it in a message, so that it can be an element of a map. */
  readonly wrapped?: boolean
  readonly goType?: string
  readonly description?: string
}

export interface ScalarSchema {
  readonly type: ScalarType
  /** The name of the Go type (`v1.Protocol`), for error messages of built-in kinds. */
  readonly goType?: string
  readonly description?: string
}

/**
 * Any JSON value: `RawExtension`, `JSON`, schemaless parts of a custom resource. Server-side apply deduces its
 * structure.
 */
export interface AnySchema {
  readonly type: 'any'
  /** A choice between a JSON Schema and something else, which protobuf encodes explicitly; its content is checked. */
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
  /** The default in the schema: it also determines list keys in server-side apply (`protocol: TCP`). */
  readonly default?: JsonValue
  /**
   * Field numbers from the protobuf message of the enclosing struct to this field. There are several if JSON inlines
   * a struct that protobuf nests, as `Volume` does with its source.
   */
  readonly proto?: readonly number[]
  /** The Go structs it is inlined from, outermost first, for error messages. */
  readonly inlined?: readonly string[]
  /**
   * What Go writes for a value that is absent or zero. `always`: the zero value. `nonzero`: nothing, so that zero is
   * the same as absent. Undefined: the value as given.
   */
  readonly presence?: 'always' | 'nonzero'
  /** Go has a pointer: absent differs from zero, also in protobuf. */
  readonly pointer?: boolean
  /** `x-kubernetes-patch-strategy`. */
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys'
  /** `x-kubernetes-patch-merge-key`. */
  readonly patchMergeKey?: string
}
