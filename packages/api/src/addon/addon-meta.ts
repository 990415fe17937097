import { type Read, t } from '../schema/index.js'

/** The schema of the metadata of an add-on. */
export const addOnMeta = t.object(
  {
    displayName: t.optional(t.string({ description: 'DisplayName is a human-readable name of the add-on.' })),
    description: t.optional(t.string({ description: 'Description is a human-readable description of the add-on.' })),
  },
  { description: 'AddOnMeta holds the human-readable name and description of the add-on.' },
)

/** The schema of the deprecated configuration reference of an add-on. */
export const addOnConfiguration = t.object(
  {
    crdName: t.optional(t.string({ description: 'CRDName is the name of the CRD of the configuration.' })),
    crName: t.optional(t.string({ description: 'CRName is the name of the configuration object.' })),
    lastObservedGeneration: t.optional(
      t.integer({
        description: 'LastObservedGeneration is the last observed generation of the configuration object.',
        format: 'int64',
      }),
    ),
  },
  { description: 'AddOnConfiguration is deprecated and ignored. Use configs instead.' },
)

/** AddOnMeta holds the human-readable name and description of the add-on. */
export interface AddOnMeta extends Read<typeof addOnMeta> {}
