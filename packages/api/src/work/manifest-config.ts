import { type Read, t } from '../schema/index.js'
import { resourceIdentifierFields } from './resource-identifier.js'
import { updateStrategy } from './update-strategy.js'

const resourceIdentifier = t.object(resourceIdentifierFields, {
  description: 'Which objects are meant. An asterisk in name or namespace stands for anything.',
})

const jsonPath = t.object(
  {
    name: t.string({ description: 'What the value is called in the status of the work.' }),
    version: t.optional(t.string({ description: 'The version of the object the path is for. Left out, any.' })),
    path: t.string({ description: 'Where the value is in the object, in the JSONPath dialect of kubectl.' }),
  },
  { description: 'A value to report.' },
)

const feedbackRule = t.object(
  {
    type: t.enum(['WellKnownStatus', 'JSONPaths'], {
      description: 'Whether to report what is usually of interest in objects of the kind, or the paths given.',
    }),
    jsonPaths: t.optional(
      t.array(jsonPath, { description: 'For JSONPaths: the values.', listType: 'map', listMapKeys: ['name'] }),
    ),
  },
  { description: 'What of the object is reported in the status of the work.' },
)

const conditionRule = t.object(
  {
    condition: t.string({ description: 'The type of the condition that is set.' }),
    type: t.enum(['WellKnownConditions', 'CEL'], {
      description: 'Whether to go by what is known of objects of the kind, or by the expressions given.',
    }),
    celExpressions: t.optional(
      t.array(t.string(), {
        description: 'For CEL: expressions about `object`. The condition is true when all of them are.',
      }),
    ),
    message: t.optional(t.string({ description: 'The message of the condition.' })),
    messageExpression: t.optional(
      t.string({ description: 'An expression for the message, about `object` and `result`. Goes before `message`.' }),
    ),
  },
  {
    description: 'A condition that is set by looking at the object.',
    rules: [{ rule: 'self.type != \'CEL\' || self.condition != ""', message: 'Condition is required for CEL rules' }],
  },
)

/** The schema of how some objects of a work are treated. */
export const manifestConfig = t.object(
  {
    resourceIdentifier,
    feedbackRules: t.optional(
      t.array(feedbackRule, { description: 'What of the objects is reported in the status of the work.' }),
    ),
    feedbackScrapeType: t.defaulted(
      t.enum(['Poll', 'Watch'], { description: 'Whether to look at the objects now and then, or to watch them.' }),
      'Poll',
    ),
    updateStrategy: t.optional(updateStrategy),
    conditionRules: t.optional(
      t.array(conditionRule, {
        description: 'Conditions that are set by looking at the objects.',
        listType: 'map',
        listMapKeys: ['condition'],
      }),
    ),
  },
  { description: 'How some objects of the work are treated.' },
)

/** How some objects of a work are treated. */
export interface ManifestConfig extends Read<typeof manifestConfig> {}
/** Which object on a cluster is meant. */
export interface ResourceIdentifier extends Read<typeof resourceIdentifier> {}
export interface FeedbackRule extends Read<typeof feedbackRule> {}
export interface FeedbackJsonPath extends Read<typeof jsonPath> {}
export interface ConditionRule extends Read<typeof conditionRule> {}
