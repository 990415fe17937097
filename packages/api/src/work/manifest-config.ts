import { type Read, t } from '../schema/index.js'
import { resourceIdentifierFields } from './resource-identifier.js'
import { updateStrategy } from './update-strategy.js'

const resourceIdentifier = t.object(resourceIdentifierFields, {
  description: 'ResourceIdentifier selects the objects. An asterisk in name or namespace matches any text.',
})

const jsonPath = t.object(
  {
    name: t.string({ description: 'Name is the name of the value in the status of the ManifestWork.' }),
    version: t.optional(
      t.string({
        description:
          'Version is the API version of the object that the path applies to. If unset, the path applies to all ' +
          'versions.',
      }),
    ),
    path: t.string({ description: 'Path is the JSONPath of the value in the object, in the syntax of kubectl.' }),
  },
  { description: 'JsonPath describes a value to report.' },
)

const feedbackRule = t.object(
  {
    type: t.enum(['WellKnownStatus', 'JSONPaths'], {
      description:
        'Type is WellKnownStatus for the well-known values of the kind, or JSONPaths for the values in jsonPaths.',
    }),
    jsonPaths: t.optional(
      t.array(jsonPath, {
        description: 'JSONPaths lists the values to report. It is used if type is JSONPaths.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
  },
  { description: 'FeedbackRule describes values of the object that are reported in the status of the ManifestWork.' },
)

const conditionRule = t.object(
  {
    condition: t.string({ description: 'Condition is the type of the condition to set.' }),
    type: t.enum(['WellKnownConditions', 'CEL'], {
      description:
        'Type is WellKnownConditions for the built-in rules of the kind, or CEL for the expressions in ' +
        'celExpressions.',
    }),
    celExpressions: t.optional(
      t.array(t.string(), {
        description:
          'CelExpressions lists CEL expressions over the variable `object`. The condition is True if all are true. ' +
          'It is used if type is CEL.',
      }),
    ),
    message: t.optional(t.string({ description: 'Message is the message of the condition.' })),
    messageExpression: t.optional(
      t.string({
        description:
          'MessageExpression is a CEL expression over the variables `object` and `result` that returns the message. ' +
          'It takes precedence over message.',
      }),
    ),
  },
  {
    description: 'ConditionRule describes a condition that is computed from the object.',
    rules: [{ rule: 'self.type != \'CEL\' || self.condition != ""', message: 'Condition is required for CEL rules' }],
  },
)

/** The schema of the configuration of objects of a work. */
export const manifestConfig = t.object(
  {
    resourceIdentifier,
    feedbackRules: t.optional(
      t.array(feedbackRule, {
        description: 'FeedbackRules lists values of the objects that are reported in the status of the ManifestWork.',
      }),
    ),
    feedbackScrapeType: t.defaulted(
      t.enum(['Poll', 'Watch'], {
        description:
          "FeedbackScrapeType is Poll or Watch, the way to read feedback values. Orrery's agent always watches. " +
          'Defaults to Poll.',
      }),
      'Poll',
    ),
    updateStrategy: t.optional(updateStrategy),
    conditionRules: t.optional(
      t.array(conditionRule, {
        description: 'ConditionRules lists conditions that are computed from the objects.',
        listType: 'map',
        listMapKeys: ['condition'],
      }),
    ),
  },
  { description: 'ManifestConfigOption configures how objects of the ManifestWork are applied and reported.' },
)

/** Configures how objects of a work are applied and reported. */
export interface ManifestConfig extends Read<typeof manifestConfig> {}
/** Selects objects on a cluster. */
export interface ResourceIdentifier extends Read<typeof resourceIdentifier> {}
export interface FeedbackRule extends Read<typeof feedbackRule> {}
export interface FeedbackJsonPath extends Read<typeof jsonPath> {}
export interface ConditionRule extends Read<typeof conditionRule> {}
