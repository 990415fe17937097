import {
  type FieldValue,
  isIdentifiedBy,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ResourceIdentifier,
} from '@orrery/api'
import { compileRelaxedJsonPath } from '@orrery/kinds/values'
import type { FieldResult, ProbeField, WorkProbe } from '../agent-addon.js'

/** The types of feedback values, and what they are in TypeScript. JSON needs the feature gate RawFeedbackJsonString of the agent. */
interface ValueTypes {
  readonly Integer: number
  readonly String: string
  readonly Boolean: boolean
  readonly JsonRaw: unknown
}

/** A value to read from an object. */
export interface FeedbackField<Type extends keyof ValueTypes = keyof ValueTypes> {
  readonly type: Type
  /** A JSONPath in the syntax of kubectl without braces, such as `.status.readyReplicas`. */
  readonly path: string
  /** The value if the object does not have the field. Kubernetes omits numbers that are 0. Default undefined. */
  readonly missing?: ValueTypes[Type]
}

type AnyField = { readonly [Type in keyof ValueTypes]: FeedbackField<Type> }[keyof ValueTypes]
type Fields = Readonly<Record<string, AnyField>>

/** The values of fields: undefined if the object does not have the field, and the field has no `missing`. */
export type FeedbackValues<F extends Fields> = {
  readonly [Name in keyof F]:
    | ValueTypes[F[Name]['type']]
    | (F[Name] extends { readonly missing: NonNullable<unknown> } ? never : undefined)
}

/** The values of one object. */
export interface ObservedObject<F extends Fields> {
  readonly resource: ResourceIdentifier
  readonly values: FeedbackValues<F>
}

/** Feedback to request for objects of an add-on, with its types. */
export interface Feedback<F extends Fields> {
  /** For `fields` of a `WorkProbe`. */
  readonly field: ProbeField
  /** The values of the objects, from the results of a probe. Throws if a value has another type. */
  read(results: readonly FieldResult[]): readonly ObservedObject<F>[]
  /** A probe of these objects alone. `check` is called for each object, and throws the reason why the add-on is not available. */
  probe(check: (values: FeedbackValues<F>, about: FeedbackContext) => void): WorkProbe
}

/** What the values are from. */
export interface FeedbackContext {
  readonly resource: ResourceIdentifier
  readonly cluster: ManagedCluster
  readonly addon: ManagedClusterAddOn
}

/**
 * Requested for every object, since each has it. Without any value, the add-on would be Unknown with the reason NoProbeResult instead
 * of unavailable.
 */
const PRESENT = { name: 'objectName', path: '.metadata.name' } as const

/**
 * Defines feedback of works: values that the agent of the cluster reads from objects of the add-on and reports in the status of the
 * ManifestWork. The agent of the add-on needs no code and no permission for it. `*` in the name or namespace matches any text: the
 * namespace of an agent can change with its AddOnDeploymentConfig.
 */
export function feedback<const F extends Fields>(options: {
  readonly resource: ResourceIdentifier
  readonly values: F
}): Feedback<F> {
  const { resource, values } = options
  const entries = Object.entries<AnyField>(values)
  const what = `feedback of ${resource.resource} ${JSON.stringify(resource.name)}`
  if (entries.length === 0) throw new RangeError(`${what}: values is empty: name at least one value`)
  for (const [name, { path }] of entries) checkPath(`${what}: values.${name}.path`, path)
  const jsonPaths = [
    ...entries.map(([name, { path }]) => ({ name, path })),
    ...('objectName' in values ? [] : [PRESENT]),
  ]
  const read = (results: readonly FieldResult[]) =>
    results
      .filter((result) => isIdentifiedBy(result.resource, resource) && Object.keys(result.values).length > 0)
      .map((result) => ({ resource: result.resource, values: typedValues(what, values, result) }))
  const field = { resource, rules: [{ type: 'JSONPaths' as const, jsonPaths }] }
  return {
    field,
    read,
    probe: (check) => ({
      fields: [field],
      check(results, cluster, addon) {
        for (const { resource: found, values: observed } of read(results))
          check(observed, { resource: found, cluster, addon })
      },
    }),
  }
}

function checkPath(what: string, path: string): void {
  if (!path.startsWith('.'))
    throw new RangeError(`${what}: ${JSON.stringify(path)} must begin with "." and have no braces`)
  try {
    compileRelaxedJsonPath(path)
  } catch (error) {
    throw new RangeError(`${what}: ${JSON.stringify(path)} is not a JSONPath: ${(error as Error).message}`)
  }
}

function typedValues<F extends Fields>(what: string, fields: F, { values }: FieldResult): FeedbackValues<F> {
  const typed = Object.entries<AnyField>(fields).map(([name, { type, missing }]) => {
    const value = values[name]
    if (value === undefined) return [name, missing]
    if (value.type !== type) throw new TypeError(`${what}: ${name} is of type ${value.type} instead of ${type}`)
    return [name, plain(value)]
  })
  return Object.fromEntries(typed) as FeedbackValues<F>
}

function plain({ type, integer, string, boolean, jsonRaw }: FieldValue): unknown {
  if (type === 'Integer') return integer ?? 0
  if (type === 'String') return string ?? ''
  return type === 'Boolean' ? (boolean ?? false) : JSON.parse(jsonRaw ?? 'null')
}
