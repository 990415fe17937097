import assert from 'node:assert/strict'
import type { KubeObject } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import { type Authority, generateKey, TrustRoots } from '@orrery/kube/pki'
import { NOW, testAuthority } from '@orrery/kube/testing'
import type { Identity } from '../identity/identity.js'
import { Authenticator, type AuthenticatorOptions } from './authenticator.js'
import type { CredentialResource } from './credentials.js'
import { TokenSigner, verificationKey } from './jwt.js'
import { issueToken, type TokenIssuerOptions } from './token-request.js'

export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** The credentials of a test server: objects, a fake clock and keys. */
export class TestCluster {
  readonly objects = new Map<string, KubeObject>()
  readonly authority: Authority = testAuthority()
  readonly keys = generateKey()
  readonly signer = new TokenSigner(this.keys.privateKey)
  readonly authenticator: Authenticator
  now = NOW
  readonly clock: Clock = { now: () => this.now, elapsed: () => this.now.getTime(), after: () => () => undefined }

  constructor(overrides: Partial<AuthenticatorOptions> = {}) {
    this.authenticator = new Authenticator({
      roots: new TrustRoots([this.authority.certificate]),
      clock: this.clock,
      findObject: this.find,
      issuers: [ISSUER],
      audiences: [ISSUER],
      serviceAccountKeys: [verificationKey(this.keys.privateKey)],
      ...overrides,
    })
  }

  readonly find = (resource: CredentialResource, namespace: string, name: string) =>
    this.objects.get(`${resource}/${namespace}/${name}`)

  get issuing(): TokenIssuerOptions {
    return { signer: this.signer, issuer: ISSUER, audiences: [ISSUER], findObject: this.find }
  }

  /** Stores an object and notifies the authenticator, as the server does on every change. */
  put(resource: CredentialResource, namespace: string, name: string, fields: Partial<KubeObject> = {}): KubeObject {
    const { metadata, ...rest } = fields
    const object = {
      apiVersion: 'v1',
      kind: resource,
      metadata: { name, namespace, uid: `uid-${name}`, ...metadata },
      ...rest,
    }
    this.objects.set(`${resource}/${namespace}/${name}`, object)
    this.authenticator.forget(resource, namespace, name)
    return object
  }

  remove(resource: CredentialResource, namespace: string, name: string): void {
    this.objects.delete(`${resource}/${namespace}/${name}`)
    this.authenticator.forget(resource, namespace, name)
  }

  /** Returns a token of the service account `ns/bot`, which is created if missing. */
  token(spec: Record<string, unknown> = {}, options: Partial<TokenIssuerOptions> = {}): string {
    if (this.find('serviceaccounts', 'ns', 'bot') === undefined) this.put('serviceaccounts', 'ns', 'bot')
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec }
    const { object } = issueToken({ namespace: 'ns', name: 'bot' }, body, this.now, { ...this.issuing, ...options })
    return (object.status as { token: string }).token
  }

  /** Returns the identity of a token; throws a 401. */
  authenticate(token: string): Identity {
    return now(this.authenticator.authenticate({ certificate: undefined, authorization: `Bearer ${token}` }))
  }

  advance(seconds: number): void {
    this.now = new Date(this.now.getTime() + seconds * 1000)
  }
}

/** Returns a synchronous result, as built-in credentials always have. */
export function now(answer: Identity | Promise<Identity>): Identity {
  assert.ok(!(answer instanceof Promise))
  return answer
}

export function encoded(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
}
