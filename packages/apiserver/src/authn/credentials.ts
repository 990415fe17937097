import type { KubeObject } from '@orrery/kinds'
import type { Identity } from '../identity/identity.js'

/** The resources that a credential can depend on. */
export type CredentialResource = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes'

/** Returns the newest state of an object that a credential depends on. `namespace` is empty for nodes. */
export type FindObject = (resource: CredentialResource, namespace: string, name: string) => KubeObject | undefined

/** A verified identity. */
export interface Authenticated {
  readonly identity: Identity
  /** The audiences of the credential; undefined if it has none. */
  readonly audiences?: readonly string[]
  /** When the credential expires, in milliseconds; undefined for never. */
  readonly expiresAt?: number
  /** The objects that must not change for the credential to stay valid: keys of `objectKey`. */
  readonly dependsOn: readonly string[]
}

/** The credential is of a known type but invalid. The message may be shown in a review, not to the client. */
export class CredentialRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CredentialRefused'
  }
}

export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id'

export function objectKey(resource: CredentialResource, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`
}
