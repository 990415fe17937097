import type { KubeObject } from '@orrery/kinds'
import type { Identity } from '../identity/identity.js'

/** The kinds of object a credential can depend on. */
export type CredentialResource = 'serviceaccounts' | 'secrets' | 'pods' | 'nodes'

/** Finds the objects behind a credential, in their newest state. `namespace` is empty for nodes. */
export type FindObject = (resource: CredentialResource, namespace: string, name: string) => KubeObject | undefined

/** Somebody a credential proved. */
export interface Authenticated {
  readonly identity: Identity
  /** Who else the credential is meant for; undefined when it names nobody. */
  readonly audiences?: readonly string[]
  /** When the credential stops working, in milliseconds; undefined for never. */
  readonly expiresAt?: number
  /** The objects that must stay as they are for the credential to keep working: keys of `objectKey`. */
  readonly dependsOn: readonly string[]
}

/** The credential is of a known kind and does not hold. The message may be shown to a reviewer, not to the client. */
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
