import { SubjectAccessReview } from '@orrery/kinds'
import { serviceUnavailable } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { MayClone } from './admission/request.js'
import { CDI_GROUP } from './names.js'

/** Asks the API server whether a user may clone claims of a namespace: `create` on `datavolumes/source`. */
export function cloneAccess(clientOf: () => KubeClient | undefined): MayClone {
  return async ({ username, uid, groups, extra }, namespace) => {
    const client = clientOf()
    if (client === undefined) throw serviceUnavailable('KubeVirt is not running on this cluster: its node is stopped')
    const resourceAttributes = {
      group: CDI_GROUP,
      resource: 'datavolumes',
      subresource: 'source',
      verb: 'create',
      namespace,
    }
    const copied = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))
    const review = await client.create(SubjectAccessReview, {
      metadata: {},
      spec: { user: username, uid, groups: [...groups], extra: copied, resourceAttributes },
    })
    return review.status?.allowed === true
  }
}
