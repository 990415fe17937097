import { CLUSTER_GROUP, ManagedClusterSetBinding } from '@orrery/api'
import { badRequest, forbidden } from '@orrery/kinds/values'
import { type AccessReview, requireAccess } from './access-review.js'
import type { ValidatingRule } from './rule.js'

/** Who may bind a cluster set. A binding has the name of its set, so that a namespace has one binding of a set. */
export const bindingRule: ValidatingRule = {
  name: 'ManagedClusterSetBindingValidating',
  kind: ManagedClusterSetBinding,
  validate({ object, oldObject, user }, queries) {
    const { metadata, spec } = object as unknown as ManagedClusterSetBinding
    if (spec?.clusterSet !== metadata.name) {
      throw badRequest('The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet')
    }
    return oldObject === undefined ? requireAccess([bindReview(metadata.name)], user, queries) : undefined
  },
}

function bindReview(name: string): AccessReview {
  return {
    attributes: { group: CLUSTER_GROUP, resource: 'managedclustersets', subresource: 'bind', verb: 'create', name },
    refusal: (username) =>
      forbidden(
        { group: CLUSTER_GROUP, resource: 'managedclustersets/bind' },
        name,
        `user ${JSON.stringify(username)} is not allowed to bind cluster set ${JSON.stringify(name)}`,
      ),
  }
}
