import { randomUUID } from 'node:crypto'
import type { KubeObject } from '@orrery/kinds'
import {
  badRequest,
  conflict,
  fieldInvalid,
  formatTime,
  invalid,
  notFound,
  parseGroupVersion,
} from '@orrery/kinds/values'
import { serviceAccountUsername } from '../identity/service-accounts.js'
import { DEFAULT_TOKEN_SECONDS, MOUNTED_TOKEN_SECONDS, tokenLifetimeProblem } from '../identity/token-lifetime.js'
import type { CredentialResource, FindObject } from './credentials.js'
import type { TokenSigner } from './jwt.js'
import { LEGACY_ISSUER } from './service-account-token.js'

const EXTENDED_SECONDS = 365 * 24 * 3600
const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' }

export interface TokenIssuerOptions {
  readonly signer: TokenSigner
  readonly issuer: string
  /** The audiences of tokens without any in the request. */
  readonly audiences: readonly string[]
  /** The maximum lifetime. Defaults to no limit. */
  readonly maxSeconds?: number
  readonly findObject: FindObject
}

export interface IssuedToken {
  /** The TokenRequest with its status. */
  readonly object: KubeObject
  readonly warnings: readonly string[]
  /** The ID of the token for the audit log, which does not reveal it. */
  readonly credentialId: string
}

interface TokenSpec {
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly boundObjectRef: BoundObjectRef | undefined
}

interface BoundObjectRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** Answers `POST serviceaccounts/<name>/token`. `body` is a valid TokenRequest. */
export function issueToken(
  account: { readonly namespace: string; readonly name: string },
  body: KubeObject,
  now: Date,
  options: TokenIssuerOptions,
): IssuedToken {
  const { namespace, name } = account
  checkMetadata(body, namespace, name)
  const found = options.findObject('serviceaccounts', namespace, name)
  if (found === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, name)
  const uid = found.metadata.uid ?? ''
  if (body.metadata.uid !== undefined && body.metadata.uid !== '' && body.metadata.uid !== uid) {
    const why = `the UID in the token request (${body.metadata.uid}) does not match the UID of the service account (${uid})`
    throw conflict({ group: KIND.group, resource: KIND.kind }, name, why)
  }
  const spec = readSpec(body, options.audiences)
  checkSpec(spec)
  const bound = bind(spec.boundObjectRef, namespace, name, options.findObject)

  const limit = options.maxSeconds ?? Number.POSITIVE_INFINITY
  const seconds = Math.min(spec.expirationSeconds, limit)
  const warnings =
    seconds < spec.expirationSeconds
      ? [`requested expiration of ${spec.expirationSeconds} seconds shortened to ${seconds} seconds`]
      : []
  const isMounted = seconds === MOUNTED_TOKEN_SECONDS && bound.pod !== undefined
  const extend = isMounted && spec.audiences.every((audience) => options.audiences.includes(audience))

  const issuedAt = Math.floor(now.getTime() / 1000)
  const id = randomUUID()
  const token = options.signer.sign({
    aud: spec.audiences,
    exp: issuedAt + (extend ? EXTENDED_SECONDS : seconds),
    iat: issuedAt,
    iss: options.issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...bound,
      serviceaccount: { name, uid },
      ...(extend ? { warnafter: issuedAt + seconds } : {}),
    },
    nbf: issuedAt,
    sub: serviceAccountUsername(namespace, name),
  })
  const object: KubeObject = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...body.metadata, name, namespace, uid, creationTimestamp: formatTime(now) },
    spec: {
      audiences: spec.audiences,
      expirationSeconds: seconds,
      boundObjectRef:
        spec.boundObjectRef === undefined ? null : (body.spec as { boundObjectRef: unknown }).boundObjectRef,
    },
    status: { token, expirationTimestamp: formatTime(new Date((issuedAt + seconds) * 1000)) },
  }
  return { object, warnings, credentialId: `JTI=${id}` }
}

/**
 * Returns the token for a Secret of type `kubernetes.io/service-account-token`, which is valid as long as the Secret
 * exists.
 */
export function issueSecretToken(account: KubeObject, secretName: string, signer: TokenSigner): string {
  const { namespace = '', name = '', uid = '' } = account.metadata
  return signer.sign({
    iss: LEGACY_ISSUER,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secretName,
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: serviceAccountUsername(namespace, name),
  })
}

function checkMetadata({ metadata }: KubeObject, namespace: string, name: string): void {
  const { name: bodyName = '', namespace: bodyNamespace = '' } = metadata
  if (bodyName !== '' && bodyName !== name) {
    const detail = 'must match the service account name if specified'
    throw invalid(KIND, name, [fieldInvalid('metadata.name', bodyName, detail)])
  }
  if (bodyNamespace !== '' && bodyNamespace !== namespace) {
    const detail = 'must match the service account namespace if specified'
    throw invalid(KIND, name, [fieldInvalid('metadata.namespace', bodyNamespace, detail)])
  }
}

function readSpec(body: KubeObject, defaultAudiences: readonly string[]): TokenSpec {
  const spec = (body.spec ?? {}) as {
    audiences?: readonly string[] | null
    expirationSeconds?: number | null
    boundObjectRef?: Partial<BoundObjectRef> | null
  }
  const { apiVersion = '', kind = '', name = '', uid = '' } = spec.boundObjectRef ?? {}
  return {
    audiences: spec.audiences == null || spec.audiences.length === 0 ? defaultAudiences : spec.audiences,
    expirationSeconds: spec.expirationSeconds ?? DEFAULT_TOKEN_SECONDS,
    boundObjectRef: spec.boundObjectRef == null ? undefined : { apiVersion, kind, name, uid },
  }
}

function checkSpec({ expirationSeconds }: TokenSpec): void {
  const problem = tokenLifetimeProblem(expirationSeconds)
  if (problem === undefined) return
  throw invalid(KIND, '', [fieldInvalid('spec.expirationSeconds', expirationSeconds, problem)])
}

interface Ref {
  readonly name: string
  readonly uid?: string
}

const BINDABLE: ReadonlyMap<string, CredentialResource> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
])

/** Returns the claims that bind a token to an object: when the object is deleted, the token becomes invalid. */
function bind(
  ref: BoundObjectRef | undefined,
  namespace: string,
  account: string,
  findObject: FindObject,
): { pod?: Ref; secret?: Ref; node?: Ref } {
  if (ref === undefined) return {}
  const groupVersion = parseGroupVersion(ref.apiVersion) ?? { group: ref.apiVersion, version: '' }
  const resource = groupVersion.group === '' ? BINDABLE.get(ref.kind) : undefined
  if (resource === undefined) {
    const type = `${groupVersion.group}/${groupVersion.version}, Kind=${ref.kind}`
    throw badRequest(`cannot bind token to object of type ${type}`)
  }
  const found = findObject(resource, resource === 'nodes' ? '' : namespace, ref.name)
  if (found === undefined) throw notFound({ group: '', resource }, ref.name)
  const uid = found.metadata.uid ?? ''
  const podSpec = (found.spec ?? {}) as { serviceAccountName?: string; nodeName?: string }
  if (resource === 'pods' && podSpec.serviceAccountName !== account) {
    const what = `serviceaccount ${JSON.stringify(account)}`
    throw badRequest(`cannot bind token for ${what} to pod running with different serviceaccount name.`)
  }
  if (ref.uid !== '' && ref.uid !== uid) {
    const why = `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', resource: ref.kind }, ref.name, why)
  }
  const self = { name: ref.name, uid }
  if (resource === 'secrets') return { secret: self }
  if (resource === 'nodes') return { node: self }
  return podSpec.nodeName ? { node: nodeRef(podSpec.nodeName, findObject), pod: self } : { pod: self }
}

/** A pod can be on a node without a Node object: then only its name is known. */
function nodeRef(name: string, findObject: FindObject): Ref {
  const uid = findObject('nodes', '', name)?.metadata.uid
  return uid === undefined ? { name } : { name, uid }
}
