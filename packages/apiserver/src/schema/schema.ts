import type { JsonValue } from '@orrery/kube'

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
  /** Holds a whole Kubernetes object (`x-kubernetes-embedded-resource`). */
  readonly embedded: boolean
  readonly description?: string
}

/** An object whose keys are data: labels, `ConfigMap.data`, quantities by resource name. */
export interface MapSchema {
  readonly type: 'map'
  readonly values: Schema
  readonly atomic: boolean
  readonly description?: string
}

export interface ListSchema {
  readonly type: 'list'
  readonly items: Schema
  /** How server-side apply merges it: replaced whole, a set of scalars, or objects found by key. */
  readonly topology: 'atomic' | 'set' | 'map'
  /** The key fields of a `map` list. */
  readonly keys: readonly string[]
  readonly description?: string
}

export interface ScalarSchema {
  readonly type: ScalarType
  readonly description?: string
}

/** Any JSON at all: `RawExtension`, `JSON`, schemaless parts of a custom resource. Deduced structure in server-side apply. */
export interface AnySchema {
  readonly type: 'any'
  readonly description?: string
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
  /** Field number in the protobuf message of the enclosing struct. */
  readonly proto?: number
  /** `x-kubernetes-patch-strategy`. */
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys'
  /** `x-kubernetes-patch-merge-key`. */
  readonly patchMergeKey?: string
}
