import type { Condition } from '@orrery/kube/kinds'
import type { SchemaOptions } from './builders.js'
import { array, choice, integer, intOrString, map, object, optional, string } from './builders.js'
import type { Read, ReadFields, Schema } from './schema.js'

/** Names as Kubernetes qualifies them: `example.com/name`, or without the domain. */
export const QUALIFIED_NAME =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

/** A moment, as RFC 3339 writes it. */
export function time(options: SchemaOptions = {}): Schema<string> {
  return string({ ...options, format: 'date-time' })
}

/** Bytes, in base64. */
export function bytes(options: SchemaOptions = {}): Schema<string> {
  return string({ ...options, format: 'byte' })
}

/** An amount with a unit, such as `100m` or `16Gi`. */
export function quantity(options: SchemaOptions = {}): Schema<number | string> {
  return intOrString({ ...options, pattern: QUANTITY })
}

/** The fields of a condition, for conditions that say more. */
export const conditionFields = {
  type: string({
    description: 'What the condition is about.',
    maxLength: 316,
    pattern: QUALIFIED_NAME,
  }),
  status: choice(['True', 'False', 'Unknown'], { description: 'Whether it holds.' }),
  reason: string({
    description: 'Why the condition is as it is, in one word for programs.',
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: string({ description: 'Why the condition is as it is, for people. May be empty.', maxLength: 32768 }),
  lastTransitionTime: string({ description: 'When the status last became another one.', format: 'date-time' }),
  observedGeneration: optional(
    integer({
      description: 'Which generation of the object the condition was found for.',
      format: 'int64',
      minimum: 0,
    }),
  ),
}

const condition = object(conditionFields, { description: 'One thing that is, is not, or may be true of the object.' })

/** The schema of a list of conditions, one of a type. */
export function conditions(options: SchemaOptions = {}): Schema<Condition[]> {
  return array(condition, { ...options, listType: 'map', listMapKeys: ['type'] })
}

/** The schema of a list of conditions that server-side apply replaces as a whole. */
export function looseConditions(options: SchemaOptions = {}): Schema<Condition[]> {
  return array(condition, options)
}

const selectorRequirement = object(
  {
    key: string({ description: 'The key that is looked at.' }),
    operator: string({ description: 'How the value is compared: In, NotIn, Exists or DoesNotExist.' }),
    values: optional(
      array(string(), {
        description: 'What the value is compared with: at least one for In and NotIn, none otherwise.',
        listType: 'atomic',
      }),
    ),
  },
  { description: 'What one key must be like.' },
)

/** What the value of one key must be like. */
export interface SelectorRequirement extends Read<typeof selectorRequirement> {}

/** The schema of a list of requirements that all must be met. */
export function selectorRequirements(
  options: SchemaOptions & { readonly listType?: 'atomic' } = {},
): Schema<SelectorRequirement[]> {
  return array(selectorRequirement, options)
}

const selectorFields = {
  matchLabels: optional(map(string(), { description: 'Labels that must be there with exactly these values.' })),
  matchExpressions: optional(
    selectorRequirements({ description: 'Requirements that all must be met.', listType: 'atomic' }),
  ),
}

/** Which labels an object must have: all that is asked for must hold, and nothing asked for means any object. */
export interface LabelSelectorTerms extends ReadFields<typeof selectorFields> {}

/** The schema of a label selector. */
export function labelSelector(options: SchemaOptions = {}): Schema<LabelSelectorTerms> {
  return object(selectorFields, { ...options, mapType: 'atomic' })
}
