import type { Secret } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Backoff } from '@orrery/kube/controller'
import type { SecretRef } from '@orrery/kube/credentials'
import type { ResolvedAgentOptions } from '../options.js'
import type { AgentNames } from './names.js'
import type { Trigger } from './wakes.js'

/** What all of registration has at hand, whichever hub it is about. */
export interface RegistrationContext {
  readonly options: ResolvedAgentOptions
  readonly names: AgentNames
  /** The Secret with the identity, */
  readonly identities: Informer<Secret>
  readonly identityRef: SecretRef
  /** and the one with the request for the next certificate. */
  readonly requestRef: SecretRef
  /** For how long certificates are asked for; undefined for as long as the hub gives. */
  readonly certificateSeconds: () => number | undefined
  /** Rung when something changed that membership has to look at. */
  readonly trigger: Trigger
}

/** Whom the fields belong to that registration writes. */
export const FIELD_MANAGER = 'registration-agent'

/**
 * How long to wait at most before a contradicted report about the cluster is written again, in milliseconds. The hub itself
 * contradicts an agent whose lease expired, and that has to be corrected soon.
 */
export const CLUSTER_CONTENTION_PAUSE = 10_000

/** A hub that is away is asked again without haste. */
export const HUB_BACKOFF: Backoff = { firstMilliseconds: 1_000, maxMilliseconds: 60_000 }
