import type { ApiObject, Kind } from '@orrery/kinds'
import type { Informers, KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { Organization, type OrganizationSubject } from '../../kinds/organization.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import type { Caller } from '../access/identity.js'
import { accessTo, type Permissions, type Verb } from '../access/permissions.js'
import { MachineAdmission } from '../machines/admission.js'
import { OperationForecast } from '../operations/operation-forecast.js'
import type { OperationQueue } from '../queue/operation-queue.js'
import { Problem } from '../server/problem.js'
import type { AgentContacts } from '../zones/agent-contacts.js'
import { parseId } from './ids.js'

export interface UserApiOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly permissions: Permissions
  readonly contacts: AgentContacts
  readonly queue: OperationQueue
  readonly clock: Clock
}

/** What the routes of users share. Every object is reached through here, so that none is without a check of permissions. */
export class UserContext {
  readonly client: KubeClient
  readonly informers: Informers
  readonly permissions: Permissions
  readonly contacts: AgentContacts
  readonly clock: Clock
  readonly admission: MachineAdmission
  readonly forecast: OperationForecast

  constructor(options: UserApiOptions) {
    this.client = options.client.withFieldManager('ovim-api')
    this.informers = options.informers
    this.permissions = options.permissions
    this.contacts = options.contacts
    this.clock = options.clock
    this.admission = new MachineAdmission(options.informers)
    this.forecast = new OperationForecast(options.informers)
  }

  require(
    caller: Caller,
    verb: Verb,
    kind: Kind<ApiObject, object>,
    ref: { namespace?: string; name?: string } = {},
  ): Promise<void> {
    return this.permissions.require(caller, accessTo(verb, kind, ref))
  }

  /**
   * The object of an id, `{organization}.{name}` or a uid, that a caller may get. Permission is checked for the name, whether or not the
   * object exists, so that nobody learns what others have. Throws a 403 or 404.
   */
  async find<T extends ApiObject>(caller: Caller, kind: Kind<T, object>, id: string): Promise<T> {
    const gone = () => new Problem(404, `${kind.kind} ${JSON.stringify(id)} does not exist`)
    const ref = parseId(kind, id)
    const informer = this.informers.of(kind)
    if (ref !== undefined) {
      await this.require(caller, 'get', kind as never, ref)
      // An object that was created a moment ago may not be in the cache.
      const found = informer.get(ref) ?? (await this.client.find(kind, ref))
      if (found === undefined) throw gone()
      return found
    }
    const found = informer.list().find(({ metadata }) => metadata.uid === id)
    if (found === undefined) throw gone()
    const { namespace, name } = found.metadata
    const access = accessTo('get', kind as never, { namespace, name })
    if (!(await this.permissions.allows(caller, access))) throw gone()
    return found
  }

  /** The objects of a kind that a caller may list: of all namespaces, or of the organizations that the caller is a member of. */
  async list<T extends ApiObject>(caller: Caller, kind: Kind<T, object>, organization?: string | null): Promise<T[]> {
    const informer = this.informers.of(kind)
    if (organization) {
      const namespace = organizationNamespace(organization)
      await this.require(caller, 'list', kind as never, { namespace })
      return informer.list(namespace)
    }
    if (await this.permissions.allows(caller, accessTo('list', kind as never))) return informer.list()
    const namespaces = await this.namespaces(caller, 'list', kind as never)
    return namespaces.flatMap((namespace) => informer.list(namespace))
  }

  /** The namespaces of the caller's organizations where the caller has a permission. */
  async namespaces(caller: Caller, verb: Verb, kind: Kind<ApiObject, object>): Promise<string[]> {
    const own = this.organizationsOf(caller).map(({ metadata }) => organizationNamespace(metadata.name))
    const allowed = await Promise.all(
      own.map((namespace) => this.permissions.allows(caller, accessTo(verb, kind, { namespace }))),
    )
    return own.filter((_, index) => allowed[index])
  }

  /** The organizations that name a caller as a member. What the caller may do there is another question. */
  organizationsOf(caller: Caller): Organization[] {
    return this.informers
      .of(Organization)
      .list()
      .filter(({ spec }) => [...(spec.admins ?? []), ...(spec.users ?? [])].some((one) => isSubject(one, caller)))
  }
}

export function isSubject({ kind, name, namespace }: OrganizationSubject, { username, groups = [] }: Caller): boolean {
  if (kind === 'User') return username === name
  if (kind === 'Group') return groups.includes(name)
  return username === `system:serviceaccount:${namespace}:${name}`
}
