import type { Secret } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Backoff } from '@orrery/kube/controller'
import type { SecretRef } from '@orrery/kube/credentials'
import type { ResolvedAgentOptions } from '../options.js'
import type { AgentNames } from './names.js'
import type { Trigger } from './wakes.js'

/** Context of all registration code, for any hub. */
export interface RegistrationContext {
  readonly options: ResolvedAgentOptions
  readonly names: AgentNames
  /** The Secret with the hub credentials. */
  readonly identities: Informer<Secret>
  readonly identityRef: SecretRef
  /** The Secret with the pending certificate request. */
  readonly requestRef: SecretRef
  /** The requested lifetime of certificates; undefined lets the hub decide. */
  readonly certificateSeconds: () => number | undefined
  /** Rung when Membership has to reconcile. */
  readonly trigger: Trigger
}

/** The field manager of registration. */
export const FIELD_MANAGER = 'registration-agent'

/**
 * The longest pause before a report on the cluster that others overwrote is written again, in milliseconds. It is
 * short because the hub itself overwrites the status of an agent whose lease expired.
 */
export const CLUSTER_CONTENTION_PAUSE = 10_000

/** Backoff for a hub that is unreachable. */
export const HUB_BACKOFF: Backoff = { firstMilliseconds: 1_000, maxMilliseconds: 60_000 }
