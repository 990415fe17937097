import { badRequest } from '@orrery/kinds/values'
import { forbiddenAccess } from '../authz/forbidden.js'
import {
  type AccessRequest,
  ANONYMOUS,
  AUTHENTICATED,
  type Authorizer,
  type Identity,
  UNAUTHENTICATED,
} from '../identity/identity.js'
import { parseServiceAccountUsername, serviceAccountGroups } from '../identity/service-accounts.js'

/** Lower-case names. An array has one item for each header line; Node.js joins repeated lines with `, `. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const EXTRA_PREFIX = 'impersonate-extra-'

/** The requested identity. */
interface Wanted {
  readonly user: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: ReadonlyMap<string, readonly string[]>
}

/**
 * Returns the impersonated identity of a request; undefined if it does not impersonate. Every part requires a
 * permission: throws a 403 otherwise, and a 400 without a user.
 */
export function impersonated(
  headers: Headers,
  requester: Identity,
  authorizer: Authorizer,
): Promise<Identity> | undefined {
  let asked = false
  for (const name in headers) {
    if (name.startsWith('impersonate-')) asked = true
  }
  const wanted = asked ? readHeaders(headers) : undefined
  return wanted && authorizeAll(wanted, requester, authorizer)
}

function readHeaders(headers: Headers): Wanted | undefined {
  const user = textOf(headers['impersonate-user'])
  const uid = textOf(headers['impersonate-uid'])
  const groups = valuesOf(headers['impersonate-group'])
  const extra = new Map<string, string[]>()
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(EXTRA_PREFIX)) continue
    const key = unescapeKey(name.slice(EXTRA_PREFIX.length))
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(value)])
  }
  if (user !== '') return { user, uid, groups, extra }
  if (uid === '' && groups.length === 0 && extra.size === 0) return undefined
  const parts = [uid === '' ? '' : 'uid', groups.length === 0 ? '' : 'groups', extra.size === 0 ? '' : 'extra']
  throw badRequest(`requested ${parts.filter((part) => part !== '').join(', ')} without impersonating a user name`)
}

async function authorizeAll(wanted: Wanted, requester: Identity, authorizer: Authorizer): Promise<Identity> {
  const check = async (
    resource: string,
    name: string,
    where: { namespace?: string; group?: string; key?: string } = {},
  ) => {
    const request: AccessRequest = {
      identity: requester,
      verb: 'impersonate',
      group: where.group ?? '',
      version: where.group === undefined ? '' : 'v1',
      resource,
      subresource: where.key ?? '',
      namespace: where.namespace ?? '',
      name,
      path: '',
      isResource: true,
    }
    const decision = await authorizer.authorize(request)
    if (!decision.allowed) throw forbiddenAccess(request, decision.reason)
  }

  const account = parseServiceAccountUsername(wanted.user)
  if (account === undefined) await check('users', wanted.user)
  else await check('serviceaccounts', account.name, { namespace: account.namespace })
  for (const group of wanted.groups) await check('groups', group)
  for (const [key, values] of wanted.extra) {
    for (const value of values) await check('userextras', value, { group: 'authentication.k8s.io', key })
  }
  if (wanted.uid !== '') await check('uids', wanted.uid, { group: 'authentication.k8s.io' })

  const ownGroups = account === undefined ? [] : serviceAccountGroups(account.namespace)
  const groups = wanted.groups.length > 0 ? wanted.groups : ownGroups
  return {
    username: wanted.user,
    uid: wanted.uid,
    groups: withStanding(wanted.user, groups),
    extra: Object.fromEntries(wanted.extra),
  }
}

/** Adds `system:authenticated` or `system:unauthenticated`, unless the request contains it. */
function withStanding(user: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(UNAUTHENTICATED)) return groups
  if (user === ANONYMOUS.username) return [...groups, UNAUTHENTICATED]
  return groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED]
}

/** Splitting a value that contains a comma is safe: each part needs its own permission. */
function valuesOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return []
  return (typeof header === 'string' ? header.split(', ') : header).map(asUtf8)
}

function textOf(header: string | readonly string[] | undefined): string {
  return asUtf8((typeof header === 'string' ? header : header?.[0]) ?? '')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Names are in UTF-8, but headers arrive as latin1. Invalid UTF-8 stays unchanged. */
function asUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text
  try {
    return utf8.decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

/** Extra keys are percent-encoded, since header names do not allow every character. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
