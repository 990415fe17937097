import type { KubeObject } from '@orrery/kinds'
import { type Authenticated, type FindObject, objectKey } from './credentials.js'
import { equalInConstantTime, secretValue } from './service-account-token.js'

const NAMESPACE = 'kube-system'
const SECRET_TYPE = 'bootstrap.kubernetes.io/token'
const DEFAULT_GROUP = 'system:bootstrappers'
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Verifies a bootstrap token (`abcdef.0123456789abcdef`). Returns undefined if it is none or no longer valid. */
export function verifyBootstrapToken(token: string, now: Date, findObject: FindObject): Authenticated | undefined {
  const match = TOKEN.exec(token)
  if (match === null) return undefined
  const [, id = '', value = ''] = match
  const name = `bootstrap-token-${id}`
  const secret = findObject('secrets', NAMESPACE, name)
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined || secret.type !== SECRET_TYPE)
    return undefined
  if (!equalInConstantTime(secretValue(secret, 'token-secret'), value)) return undefined
  if (secretValue(secret, 'token-id') !== id) return undefined
  if (secretValue(secret, 'usage-bootstrap-authentication') !== 'true') return undefined
  const expiresAt = expiryOf(secret)
  const groups = groupsOf(secret)
  if (groups === undefined || now.getTime() >= expiresAt) return undefined
  const identity = { username: `system:bootstrap:${id}`, uid: '', groups, extra: {} }
  const dependsOn = [objectKey('secrets', NAMESPACE, name)]
  return expiresAt === Number.POSITIVE_INFINITY ? { identity, dependsOn } : { identity, dependsOn, expiresAt }
}

/** An invalid expiry counts as expired. */
function expiryOf(secret: KubeObject): number {
  const text = secretValue(secret, 'expiration')
  if (text === '') return Number.POSITIVE_INFINITY
  return RFC3339.test(text) ? Date.parse(text) : Number.NEGATIVE_INFINITY
}

/** Returns undefined if the Secret has a group that bootstrap tokens must not have. */
function groupsOf(secret: KubeObject): string[] | undefined {
  const extra = secretValue(secret, 'auth-extra-groups')
  if (extra === '') return [DEFAULT_GROUP]
  const groups = extra.split(',')
  if (!groups.every((group) => EXTRA_GROUP.test(group))) return undefined
  return [...new Set([DEFAULT_GROUP, ...groups])].sort()
}
