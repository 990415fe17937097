import { type Read, t } from '../schema/index.js'

/** The schema of a reference to a manifest and its object. */
export const resourceMeta = t.object(
  {
    ordinal: t.integer({
      description: 'Ordinal is the index of the manifest in the ManifestWork, from 0.',
      format: 'int32',
    }),
    group: t.optional(t.string({ description: 'Group is the API group of the object.' })),
    version: t.optional(t.string({ description: 'Version is the API version of the object.' })),
    kind: t.optional(t.string({ description: 'Kind is the kind of the object.' })),
    resource: t.optional(t.string({ description: 'Resource is the plural resource name of the object.' })),
    name: t.optional(t.string({ description: 'Name is the name of the object.' })),
    namespace: t.optional(
      t.string({ description: 'Namespace is the namespace of the object. Empty for cluster-scoped objects.' }),
    ),
  },
  { description: 'ResourceMeta identifies the manifest and its object.' },
)

const fieldValue = t.object(
  {
    type: t.enum(['Integer', 'String', 'Boolean', 'JsonRaw'], {
      description: 'Type is the type of the value: Integer, String, Boolean or JsonRaw. The field of that type is set.',
    }),
    integer: t.optional(t.integer({ description: 'Integer is the value if type is Integer.', format: 'int64' })),
    string: t.optional(t.string({ description: 'String is the value if type is String.' })),
    boolean: t.optional(t.boolean({ description: 'Boolean is the value if type is Boolean.' })),
    jsonRaw: t.optional(t.string({ description: 'JsonRaw is the value as JSON if type is JsonRaw.', maxLength: 1024 })),
  },
  { description: 'FieldValue is the value.' },
)

const feedbackValue = t.object(
  { name: t.string({ description: 'Name is the name of the value.' }), fieldValue },
  { description: 'FeedbackValue is a value that the agent read from the object.' },
)

const manifestStatus = t.object(
  {
    resourceMeta,
    statusFeedback: t.optional(
      t.object(
        {
          values: t.optional(
            t.array(feedbackValue, {
              description: 'Values lists the reported values.',
              listType: 'map',
              listMapKeys: ['name'],
            }),
          ),
        },
        { description: 'StatusFeedback holds the values that feedbackRules request.' },
      ),
    ),
    conditions: t.conditions({ description: 'Conditions describe the state of the manifest and its object.' }),
  },
  { description: 'ManifestCondition is the state of one manifest.' },
)

/** The schema of the status of the manifests of a work. */
export const resourceStatus = t.object(
  { manifests: t.optional(t.array(manifestStatus, { description: 'Manifests lists the state of each manifest.' })) },
  { description: 'ResourceStatus is the state of each manifest.' },
)

/** ResourceMeta identifies the manifest and its object. */
export interface ManifestResourceMeta extends Read<typeof resourceMeta> {}
/** The state of one manifest of a work. */
export interface ManifestStatus extends Read<typeof manifestStatus> {}
export interface FeedbackValue extends Read<typeof feedbackValue> {}
export interface FieldValue extends Read<typeof fieldValue> {}
