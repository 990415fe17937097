import type { Condition } from '@orrery/kinds'
import { array, choice, integer, intOrString, map, object, optional, type SchemaOptions, string } from './builders.js'
import type { Read, ReadFields, Schema } from './schema.js'

/** The pattern of qualified names, such as `example.com/name` or `name`. */
export const QUALIFIED_NAME =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

/** A time in RFC 3339 format. */
export function time(options: SchemaOptions = {}): Schema<string> {
  return string({ ...options, format: 'date-time' })
}

/** Bytes, encoded as base64. */
export function bytes(options: SchemaOptions = {}): Schema<string> {
  return string({ ...options, format: 'byte' })
}

/** A resource quantity, such as `100m` or `16Gi`. */
export function quantity(options: SchemaOptions = {}): Schema<number | string> {
  return intOrString({ ...options, pattern: QUANTITY })
}

/** The fields of a condition, for conditions with additional fields. */
export const conditionFields = {
  type: string({
    description: 'Type is the type of the condition.',
    maxLength: 316,
    pattern: QUALIFIED_NAME,
  }),
  status: choice(['True', 'False', 'Unknown'], {
    description: 'Status is the status of the condition: True, False or Unknown.',
  }),
  reason: string({
    description: 'Reason is a machine-readable reason for the last transition, in CamelCase.',
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: string({
    description: 'Message is a human-readable explanation of the last transition. It can be empty.',
    maxLength: 32768,
  }),
  lastTransitionTime: string({
    description: 'LastTransitionTime is when the status last changed.',
    format: 'date-time',
  }),
  observedGeneration: optional(
    integer({
      description: 'ObservedGeneration is the metadata.generation of the object that the condition was computed for.',
      format: 'int64',
      minimum: 0,
    }),
  ),
}

const condition = object(conditionFields, {
  description: 'Condition describes one aspect of the current state of the object.',
})

/** The schema of a list of conditions, one for each type. */
export function conditions(options: SchemaOptions = {}): Schema<readonly Condition[]> {
  return array(condition, { ...options, listType: 'map', listMapKeys: ['type'] })
}

/** The schema of a list of conditions that server-side apply replaces as a whole. */
export function looseConditions(options: SchemaOptions = {}): Schema<readonly Condition[]> {
  return array(condition, options)
}

const selectorRequirement = object(
  {
    key: string({ description: 'Key is the label or claim key.' }),
    operator: string({ description: 'Operator is In, NotIn, Exists or DoesNotExist.' }),
    values: optional(
      array(string(), {
        description:
          'Values is the list of values. It must not be empty for In and NotIn, and must be empty for Exists and ' +
          'DoesNotExist.',
        listType: 'atomic',
      }),
    ),
  },
  { description: 'A requirement on one key.' },
)

/** A requirement on one key of a selector. */
export interface SelectorRequirement extends Read<typeof selectorRequirement> {}

/** The schema of a list of selector requirements. All must be met. */
export function selectorRequirements(
  options: SchemaOptions & { readonly listType?: 'atomic' } = {},
): Schema<readonly SelectorRequirement[]> {
  return array(selectorRequirement, options)
}

const selectorFields = {
  matchLabels: optional(map(string(), { description: 'MatchLabels is a map of required labels and their values.' })),
  matchExpressions: optional(
    selectorRequirements({
      description: 'MatchExpressions is a list of label selector requirements. All must be met.',
      listType: 'atomic',
    }),
  ),
}

/** The terms of a label selector. An empty selector matches all objects. */
export interface LabelSelectorTerms extends ReadFields<typeof selectorFields> {}

/** The schema of a label selector. */
export function labelSelector(options: SchemaOptions = {}): Schema<LabelSelectorTerms> {
  return object(selectorFields, { ...options, mapType: 'atomic' })
}
