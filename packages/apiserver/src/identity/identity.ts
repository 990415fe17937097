/** Who is asking. */
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

/** What the server's own controllers and in-process administrators act as. */
export const SYSTEM_MASTER: Identity = {
  username: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
}

export const SYSTEM_MASTERS = 'system:masters'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'

/** What is asked for, as authorisers and audit see it. */
export interface AccessRequest {
  readonly identity: Identity
  readonly verb: string
  /** A resource request has these … */
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** … anything else has a path. */
  readonly path: string
  readonly isResource: boolean
}

export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

export interface Authorizer {
  authorize(request: AccessRequest): Decision | Promise<Decision>
  /** Calls back whenever somebody may have lost a right. */
  onLoss?(listener: () => void): void
}
