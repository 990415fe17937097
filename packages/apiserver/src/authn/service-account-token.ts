import { timingSafeEqual } from 'node:crypto'
import type { KubeObject } from '@orrery/kinds'
import { notFound } from '@orrery/kinds/values'
import type { Identity } from '../identity/identity.js'
import {
  parseServiceAccountUsername,
  serviceAccountGroups,
  serviceAccountUsername,
} from '../identity/service-accounts.js'
import {
  type Authenticated,
  CREDENTIAL_ID,
  CredentialRefused,
  type CredentialResource,
  type FindObject,
  objectKey,
} from './credentials.js'
import { type Claims, peekClaims, type VerificationKey, verifyToken } from './jwt.js'

export const LEGACY_ISSUER = 'kubernetes/serviceaccount'
const CLOCK_SKEW = 60_000
const INVALID_SINCE_LABEL = 'kubernetes.io/legacy-token-invalid-since'

export interface ServiceAccountTokenOptions {
  /** The first issues tokens; all are accepted. */
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** The audiences of this server, and of tokens without an audience. */
  readonly audiences: readonly string[]
  readonly findObject: FindObject
}

/**
 * Verifies bound and legacy service account tokens. Returns undefined if it is no such token, and throws
 * `CredentialRefused` if it is invalid. The account and the bound object must still exist.
 */
export function verifyServiceAccountToken(
  token: string,
  wantedAudiences: readonly string[],
  now: Date,
  options: ServiceAccountTokenOptions,
): Authenticated | undefined {
  const issuer = peekClaims(token)?.iss
  const isLegacy = issuer === LEGACY_ISSUER
  if (!isLegacy && !options.issuers.includes(issuer as string)) return undefined
  const claims = verifyToken(token, options.keys)
  const audiences = matchAudiences(claims.aud, wantedAudiences, options.audiences)
  const proven = isLegacy
    ? verifyLegacy(token, claims, options.findObject)
    : verifyBound(claims, now, options.findObject)
  return { ...proven, audiences }
}

function matchAudiences(claimed: unknown, wanted: readonly string[], own: readonly string[]): readonly string[] {
  const listed = typeof claimed === 'string' ? [claimed] : Array.isArray(claimed) ? claimed.map(String) : []
  const audiences = listed.length === 0 ? own : listed
  const matching = audiences.filter((audience) => wanted.includes(audience))
  if (matching.length > 0) return matching
  throw new CredentialRefused(
    `token audiences ${quoteList(audiences)} is invalid for the target audiences ${quoteList(wanted)}`,
  )
}

interface ObjectRef {
  readonly name: string
  readonly uid: string
}

function verifyBound(claims: Claims, now: Date, findObject: FindObject): Authenticated {
  const expiresAt = checkTimes(claims, now)
  const details = asRecord(claims['kubernetes.io'])
  const namespace = asString(details.namespace)
  const account = readRef(details.serviceaccount)
  const secret = readRef(details.secret)
  const pod = readRef(details.pod)
  const node = readRef(details.node)
  if (account === undefined) throw new CredentialRefused('service account claim is missing')

  const dependsOn: string[] = []
  const check = (resource: CredentialResource, inNamespace: string, ref: ObjectRef, kind: string) => {
    dependsOn.push(objectKey(resource, inNamespace, ref.name))
    const found = findObject(resource, inNamespace, ref.name)
    if (found === undefined || isGone(found, now))
      throw new CredentialRefused('service account token has been invalidated')
    if (found.metadata.uid === ref.uid) return
    const mismatch = `${kind} UID (${found.metadata.uid}) does not match service account ${kind.toLowerCase()} ref claim`
    throw new CredentialRefused(`${mismatch} (${ref.uid})`)
  }

  checkAccount(namespace, account, now, findObject, dependsOn)
  if (secret !== undefined) check('secrets', namespace, secret, 'Secret')
  if (pod !== undefined) check('pods', namespace, pod, 'Pod')
  else if (node !== undefined) check('nodes', '', node, 'Node')

  const extra: Record<string, readonly string[]> = {}
  if (typeof claims.jti === 'string' && claims.jti !== '') extra[CREDENTIAL_ID] = [`JTI=${claims.jti}`]
  if (pod !== undefined) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name]
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid]
  }
  if (node !== undefined) {
    extra['authentication.kubernetes.io/node-name'] = [node.name]
    if (node.uid !== '') extra['authentication.kubernetes.io/node-uid'] = [node.uid]
  }
  return { identity: identityOf(namespace, account, extra), expiresAt, dependsOn }
}

/** Legacy tokens in a Secret: they are valid as long as the Secret contains exactly this token. */
function verifyLegacy(token: string, claims: Claims, findObject: FindObject): Authenticated {
  const claim = (name: string) => asString(claims[`kubernetes.io/serviceaccount/${name}`])
  const namespace = claim('namespace')
  const secretName = claim('secret.name')
  const account = { name: claim('service-account.name'), uid: claim('service-account.uid') }
  const subject = parseServiceAccountUsername(asString(claims.sub))
  if (subject?.namespace !== namespace || subject.name !== account.name || secretName === '') {
    throw new CredentialRefused('sub claim is invalid')
  }
  const dependsOn = [objectKey('secrets', namespace, secretName)]
  const secret = findObject('secrets', namespace, secretName)
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) {
    throw new CredentialRefused('Token has been invalidated')
  }
  if (!equalInConstantTime(secretValue(secret, 'token'), token)) {
    throw new CredentialRefused("Token does not match server's copy")
  }
  checkAccount(namespace, account, undefined, findObject, dependsOn)
  if ((secret.metadata.labels?.[INVALID_SINCE_LABEL] ?? '') !== '') {
    const where = `${namespace}/${secretName} for service account ${namespace}/${account.name}`
    throw new CredentialRefused(`the token in secret ${where} has been marked invalid`)
  }
  return { identity: identityOf(namespace, account, {}), dependsOn }
}

/** If `now` is undefined, an account that is being deleted does not count. */
function checkAccount(
  namespace: string,
  ref: ObjectRef,
  now: Date | undefined,
  findObject: FindObject,
  dependsOn: string[],
): void {
  dependsOn.push(objectKey('serviceaccounts', namespace, ref.name))
  const account = findObject('serviceaccounts', namespace, ref.name)
  if (account === undefined) {
    throw new CredentialRefused(notFound({ group: '', resource: 'serviceaccounts' }, ref.name).message)
  }
  if (account.metadata.uid !== ref.uid) {
    throw new CredentialRefused(`service account UID (${account.metadata.uid}) does not match claim (${ref.uid})`)
  }
  const deleted = now === undefined ? account.metadata.deletionTimestamp !== undefined : isGone(account, now)
  if (deleted) throw new CredentialRefused(`service account ${namespace}/${ref.name} has been deleted`)
}

/**
 * Returns the expiry. It has no tolerance, since the same clock issues and verifies tokens. Future tokens have a
 * tolerance of a minute, so that a clock set back a little does not lock out all clients.
 */
function checkTimes(claims: Claims, now: Date): number {
  const time = now.getTime()
  const expiresAt = asSeconds(claims.exp)
  if (expiresAt === undefined || time >= expiresAt) throw new CredentialRefused('service account token has expired')
  if ((asSeconds(claims.nbf) ?? 0) > time + CLOCK_SKEW) {
    throw new CredentialRefused('service account token is not valid yet')
  }
  if ((asSeconds(claims.iat) ?? 0) > time + CLOCK_SKEW) {
    throw new CredentialRefused('service account token is issued in the future')
  }
  return expiresAt
}

/** An object that is being deleted keeps its credentials for the clock skew. */
function isGone({ metadata }: KubeObject, now: Date): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < now.getTime() - CLOCK_SKEW
}

function identityOf(namespace: string, account: ObjectRef, extra: Record<string, readonly string[]>): Identity {
  return {
    username: serviceAccountUsername(namespace, account.name),
    uid: account.uid,
    groups: serviceAccountGroups(namespace),
    extra,
  }
}

/** Returns one decoded value of a Secret; empty if missing. */
export function secretValue(secret: KubeObject, key: string): string {
  const data = asRecord(secret.data)
  const value = Object.hasOwn(data, key) ? data[key] : undefined
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : ''
}

export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
}

function readRef(value: unknown): ObjectRef | undefined {
  if (value === undefined) return undefined
  const { name, uid } = asRecord(value)
  return { name: asString(name), uid: asString(uid) }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function asString(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asSeconds(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value * 1000 : undefined
}
