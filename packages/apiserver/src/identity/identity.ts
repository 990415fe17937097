/** The user of a request. */
export interface Identity {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

export const ANONYMOUS: Identity = {
  username: 'system:anonymous',
  uid: '',
  groups: ['system:unauthenticated'],
  extra: {},
}

/** The identity of the server's controllers and of in-process administrators. */
export const SYSTEM_MASTER: Identity = {
  username: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
}

export const SYSTEM_MASTERS = 'system:masters'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'

/** The authorization attributes of a request, also for the audit log. */
export interface AccessRequest {
  readonly identity: Identity
  readonly verb: string
  /** For resource requests. */
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** For other requests. */
  readonly path: string
  readonly isResource: boolean
}

export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

export interface Authorizer {
  authorize(request: AccessRequest): Decision | Promise<Decision>
  /** Calls back whenever a user may have lost a permission: in a namespace, or in all if it is empty. */
  onLoss?(listener: (namespace: string) => void): void
}
