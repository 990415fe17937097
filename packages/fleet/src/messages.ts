/** The phase of a part. */
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

/** The state of a cluster on the hub. */
export interface ClusterReport {
  readonly name: string
  readonly phase: Extract<Phase, 'joining' | 'accepted' | 'joined' | 'available' | 'unavailable' | 'denied'>
  /** Whether the hub accepts it. */
  readonly isAccepted: boolean
  /** Why it is not available. */
  readonly detail?: string
}

/** What a part reports to its supervisor. */
export type PartReport =
  /** Its API answers; `kubeconfig` is the administrator's. */
  | { readonly type: 'serving'; readonly url: string; readonly kubeconfig: string }
  /** `detail` is what keeps it in that phase. */
  | { readonly type: 'phase'; readonly phase: Phase; readonly detail?: string }
  | { readonly type: 'cluster'; readonly cluster: ClusterReport }
  /** The hub keeps an agent from joining as this cluster. */
  | { readonly type: 'obstacle'; readonly cluster: string; readonly detail: string }
  /** It failed; `message` is the reason. */
  | { readonly type: 'failed'; readonly message: string; readonly isPortTaken: boolean }

/** What the supervisor sends to a part. */
export interface JoinOrder {
  /** The hub is ready: join it, with the credentials in this file. */
  readonly type: 'join'
  readonly bootstrapFile: string
  /** Whether to rejoin a hub that no longer knows the cluster: when the fleet starts, not when a part is restarted. */
  readonly rejoin: boolean
}
