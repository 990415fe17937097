import { type Read, t } from '../schema/index.js'

/** The schema of what people call an add-on. */
export const addOnMeta = t.object(
  {
    displayName: t.optional(t.string({ description: 'The name of the add-on.' })),
    description: t.optional(t.string({ description: 'What the add-on is good for.' })),
  },
  { description: 'The add-on in words for people.' },
)

/** The schema of the configuration that add-ons had before there were several kinds of it. */
export const addOnConfiguration = t.object(
  {
    crdName: t.optional(t.string({ description: 'The name of the definition of the kind.' })),
    crName: t.optional(t.string({ description: 'The name of the object.' })),
    lastObservedGeneration: t.optional(
      t.integer({ description: 'The generation of the object that was last seen.', format: 'int64' }),
    ),
  },
  { description: 'Deprecated, and not looked at: configurations are what configures the add-on.' },
)

/** The add-on in words for people. */
export interface AddOnMeta extends Read<typeof addOnMeta> {}
