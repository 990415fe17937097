import { t } from '../schema/index.js'

/** The fields of a reference to an object on a cluster. */
export const resourceIdentifierFields = {
  group: t.optional(t.string({ description: 'Group is the API group of the object. Empty for the core group.' })),
  resource: t.string({ description: 'Resource is the plural resource name of the object.' }),
  name: t.string({ description: 'Name is the name of the object.' }),
  namespace: t.optional(
    t.string({ description: 'Namespace is the namespace of the object. Empty for cluster-scoped objects.' }),
  ),
}
