import type { Identity } from '../identity/identity.js'
import type { VerbatimMember } from '../json/verbatim.js'
import type { WriteOptions } from '../request/options.js'
import type { KindLogic } from './kind-logic.js'

/** Waits for an answer of another server. */
export type WaitFor = <T>(answer: () => Promise<T>) => Promise<T>

/** The resolved request: the input of every verb. */
export interface VerbContext {
  readonly identity: Identity
  readonly logic: KindLogic
  /** Empty for cluster-scoped resources and requests across namespaces. */
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** Collects `Warning` headers. */
  readonly warnings: string[]
  /** Collects audit annotations. */
  readonly annotations: Record<string, string>
  /** Checks a further permission of the user, such as create on a PUT. Throws a 403 if it is missing. */
  readonly requireAccess: (verb: string) => Promise<void>
  /** Waits for another server without seats of the priority level (API Priority and Fairness). */
  readonly waitFor: WaitFor
}

export interface WriteContext extends VerbContext {
  readonly options: WriteOptions
  /** The resolved field manager: the query parameter or the start of the user agent. */
  readonly manager: string
  /** A member of the body that is stored unchanged, unless something changes it. */
  readonly verbatim?: VerbatimMember | undefined
}
