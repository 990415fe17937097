/** How far a part has come. */
export type Phase =
  | 'starting'
  | 'serving'
  | 'installing'
  | 'joining'
  | 'accepted'
  | 'joined'
  | 'available'
  | 'unavailable'
  | 'denied'
  | 'ready'
  | 'restarting'
  | 'stopping'
  | 'stopped'

/** What the hub knows of one of its clusters. */
export interface ClusterReport {
  readonly name: string
  readonly phase: Extract<Phase, 'joining' | 'accepted' | 'joined' | 'available' | 'unavailable' | 'denied'>
  /** Whether the hub accepts it. */
  readonly isAccepted: boolean
  /** Why it is not available. */
  readonly detail?: string
}

/** What a part tells the process that keeps it running. */
export type PartReport =
  /** Its API answers; `kubeconfig` is the administrator's. */
  | { readonly type: 'serving'; readonly url: string; readonly kubeconfig: string }
  /** `detail` says what keeps it in that phase. */
  | { readonly type: 'phase'; readonly phase: Phase; readonly detail?: string }
  | { readonly type: 'cluster'; readonly cluster: ClusterReport }
  /** The hub keeps an agent from joining as this cluster. */
  | { readonly type: 'obstacle'; readonly cluster: string; readonly detail: string }
  /** It cannot go on, in words for people. */
  | { readonly type: 'failed'; readonly message: string; readonly isPortTaken: boolean }

/** What a part is told. */
export interface JoinOrder {
  /** The hub is there: join it, with the credentials in this file. */
  readonly type: 'join'
  readonly bootstrapFile: string
  /** Whether to come back to a hub that has forgotten the cluster: when people start the fleet, not when a part died. */
  readonly rejoin: boolean
}
