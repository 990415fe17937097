import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { RetryBackoff } from '../retry.js'

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A template. A path without `/api/` is below `/api/hyperfleet/<version>`. */
  readonly url: string
  readonly timeoutMilliseconds?: number
  readonly retryAttempts?: number
  readonly retryBackoff?: RetryBackoff
  /** A template. */
  readonly body?: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

export type ParamSource =
  | { readonly type: 'none' }
  /** `event.…`, `env.…`, `config.…` or `<param>.…`. */
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'apiCall'; readonly call: ApiCall }
  | { readonly type: 'expression'; readonly expression: string }
  | { readonly type: 'file'; readonly path: string; readonly trim: boolean }

export const PARAM_TYPES = ['string', 'int', 'int64', 'float', 'float64', 'bool'] as const
export type ParamType = (typeof PARAM_TYPES)[number]

export interface Param {
  readonly name: string
  readonly source: ParamSource
  readonly type?: ParamType
  readonly default?: JsonValue
  readonly required: boolean
}

export const OPERATORS = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'contains',
  'greaterThan',
  'lessThan',
  'exists',
] as const
export type Operator = (typeof OPERATORS)[number]

export interface FieldCondition {
  readonly field: string
  readonly operator: Operator
  readonly value?: JsonValue
}

/** A value of a response that becomes a parameter. */
export interface Capture {
  readonly name: string
  readonly field?: string
  readonly expression?: string
  readonly default?: JsonValue
}

export interface LogAction {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
}

export interface Precondition {
  readonly name: string
  readonly expression?: string
  readonly conditions: readonly FieldCondition[]
  readonly apiCall?: ApiCall
  readonly capture: readonly Capture[]
  readonly log?: LogAction
}

/** How an object is found. Names and labels are templates. */
export interface Discovery {
  readonly namespace?: string
  readonly byName?: string
  readonly labelSelector?: Readonly<Record<string, string>>
}

export const PROPAGATION_POLICIES = ['Background', 'Foreground', 'Orphan'] as const
export type PropagationPolicy = (typeof PROPAGATION_POLICIES)[number]

/** Where a resource is applied. All texts are templates. */
export type ResourceTransport =
  /** As a ManifestWork for a consumer. */
  | { readonly client: 'maestro'; readonly targetCluster: string }
  /** As an object of this type, at the Kubernetes API. */
  | { readonly client: 'kubernetes'; readonly apiVersion: string; readonly kind: string }

export interface Resource {
  readonly name: string
  readonly transport: ResourceTransport
  /** An object whose texts are templates, or a template of YAML. */
  readonly manifest: JsonObject | string
  /** Delete the object and create it again if the generation changed. Works are always updated. */
  readonly recreateOnChange: boolean
  /** What becomes of the dependents of a deleted object. Works do not use it. */
  readonly propagationPolicy: PropagationPolicy
  readonly discovery?: Discovery
  readonly nestedDiscoveries: readonly { readonly name: string; readonly discovery: Discovery }[]
  readonly createWhen?: string
  readonly deleteWhen?: string
}

export interface Payload {
  readonly name: string
  readonly build: JsonObject
  readonly when?: string
}

export interface PostAction {
  readonly name: string
  readonly when?: string
  readonly apiCall?: ApiCall
  readonly log?: LogAction
}

/** What an adapter does with an event. */
export interface TaskConfig {
  readonly params: readonly Param[]
  readonly preconditions: readonly Precondition[]
  readonly resources: readonly Resource[]
  readonly payloads: readonly Payload[]
  readonly postActions: readonly PostAction[]
}
