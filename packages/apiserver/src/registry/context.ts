import type { Identity } from '../identity/identity.js'
import type { VerbatimMember } from '../json/verbatim.js'
import type { WriteOptions } from '../request/options.js'
import type { KindLogic } from './kind-logic.js'

/** Who asks for what, resolved: the input of every verb. */
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
  /** Asks whether the caller may also do something else, such as create on a PUT. Throws a 403 when not. */
  readonly requireAccess: (verb: string) => Promise<void>
}

export interface WriteContext extends VerbContext {
  readonly options: WriteOptions
  /** The field manager, resolved: the query parameter or what the user agent starts with. */
  readonly manager: string
  /** A member of the body that is stored as it came, unless something changes it. */
  readonly verbatim?: VerbatimMember | undefined
}
