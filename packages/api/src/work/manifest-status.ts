import { type Read, t } from '../schema/index.js'

/** The schema of which manifest, and which object, is meant. */
export const resourceMeta = t.object(
  {
    ordinal: t.integer({ description: 'The place of the manifest in the work, from 0.', format: 'int32' }),
    group: t.optional(t.string({ description: 'The API group of the object.' })),
    version: t.optional(t.string({ description: 'The API version of the object.' })),
    kind: t.optional(t.string({ description: 'The kind of the object.' })),
    resource: t.optional(t.string({ description: 'The resource of the object.' })),
    name: t.optional(t.string({ description: 'The name of the object.' })),
    namespace: t.optional(t.string({ description: 'The namespace of the object.' })),
  },
  { description: 'Which manifest, and which object.' },
)

const fieldValue = t.object(
  {
    type: t.enum(['Integer', 'String', 'Boolean', 'JsonRaw'], { description: 'Which of the others is set.' }),
    integer: t.optional(t.integer({ description: 'A whole number.', format: 'int64' })),
    string: t.optional(t.string({ description: 'Text.' })),
    boolean: t.optional(t.boolean({ description: 'Yes or no.' })),
    jsonRaw: t.optional(t.string({ description: 'Anything else, as JSON.', maxLength: 1024 })),
  },
  { description: 'The value.' },
)

const feedbackValue = t.object(
  { name: t.string({ description: 'What the value is called.' }), fieldValue },
  { description: 'A value that was read from the object.' },
)

const manifestStatus = t.object(
  {
    resourceMeta,
    statusFeedback: t.optional(
      t.object(
        {
          values: t.optional(
            t.array(feedbackValue, { description: 'The values.', listType: 'map', listMapKeys: ['name'] }),
          ),
        },
        { description: 'What was read from the object, as the work asked for.' },
      ),
    ),
    conditions: t.conditions({ description: 'How the manifest fares.' }),
  },
  { description: 'How one manifest fares.' },
)

/** The schema of how the manifests of a work fare. */
export const resourceStatus = t.object(
  { manifests: t.optional(t.array(manifestStatus, { description: 'One entry a manifest.' })) },
  { description: 'How each manifest fares.' },
)

/** Which manifest, and which object. */
export interface ManifestResourceMeta extends Read<typeof resourceMeta> {}
/** How one manifest of a work fares. */
export interface ManifestStatus extends Read<typeof manifestStatus> {}
export interface FeedbackValue extends Read<typeof feedbackValue> {}
export interface FieldValue extends Read<typeof fieldValue> {}
