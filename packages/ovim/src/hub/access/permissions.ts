import type { ApiObject, Kind } from '@orrery/kinds'
import { forbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { reviewAccess } from '@orrery/kube/serving'
import type { Caller } from './identity.js'
import type { RecentAnswers } from './recent-answers.js'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

/** What a caller wants to touch. */
export interface Access {
  readonly verb: Verb
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

/** Asks the hub's API server, whose RBAC decides for the REST API and for kubectl alike. */
export class Permissions {
  readonly #client: KubeClient
  readonly #answers: RecentAnswers

  constructor(client: KubeClient, answers: RecentAnswers) {
    this.#client = client
    this.#answers = answers
  }

  allows(caller: Caller, access: Access): Promise<boolean> {
    const { username, uid = '', groups = [], extra = {} } = caller
    const key = JSON.stringify([username, uid, groups, extra, access])
    return this.#answers.permission(key, async () => {
      const { allowed } = await reviewAccess(this.#client, caller, { resourceAttributes: access })
      return allowed
    })
  }

  /** Throws a 403 that names what is not allowed. */
  async require(caller: Caller, access: Access): Promise<void> {
    if (await this.allows(caller, access)) return
    const { verb, group, resource, subresource, namespace, name = '' } = access
    const what = `${resource}${subresource === undefined ? '' : `/${subresource}`}`
    const where = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`
    const why = `user ${JSON.stringify(caller.username)} cannot ${verb} ${what}${where}`
    throw forbidden({ group, resource }, name, why)
  }
}

/** The access to an object of a kind. */
export function accessTo(
  verb: Verb,
  { group, plural }: Pick<Kind<ApiObject, object>, 'group' | 'plural'>,
  ref: { readonly namespace?: string | undefined; readonly name?: string | undefined } = {},
): Access {
  const { namespace, name } = ref
  return {
    verb,
    group,
    resource: plural,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  }
}
