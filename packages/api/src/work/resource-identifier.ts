import { t } from '../schema/index.js'

/** The fields that say which object on a cluster is meant. */
export const resourceIdentifierFields = {
  group: t.optional(t.string({ description: 'The API group; empty for the core group.' })),
  resource: t.string({ description: 'The resource, in the plural.' }),
  name: t.string({ description: 'The name of the object.' }),
  namespace: t.optional(t.string({ description: 'The namespace of the object; empty for none.' })),
}
