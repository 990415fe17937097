import { CLUSTER_GROUP, ManagedClusterSetBinding } from '@orrery/api'
import { badRequest, forbidden } from '@orrery/kinds/values'
import { type Claim, requireClaims } from './claim.js'
import type { ValidatingRule } from './rule.js'

/** Who may bind a set. A binding is called what the set is called, so that there is one of each in a namespace. */
export const bindingRule: ValidatingRule = {
  name: 'ManagedClusterSetBindingValidating',
  kind: ManagedClusterSetBinding,
  validate({ object, oldObject, user }, inquiries) {
    const { metadata, spec } = object as unknown as ManagedClusterSetBinding
    if (spec?.clusterSet !== metadata.name) {
      throw badRequest('The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet')
    }
    return oldObject === undefined ? requireClaims([bindingClaim(metadata.name)], user, inquiries) : undefined
  },
}

function bindingClaim(name: string): Claim {
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
