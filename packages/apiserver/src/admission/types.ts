import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { Identity } from '../identity/identity.js'
import type { Resource } from '../kinds/resource.js'

/** A write on its way to the store, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly resource: Resource
  readonly subresource: string
  readonly namespace: string
  /** Empty while `generateName` has not been resolved. */
  readonly name: string
  /** The object as it is about to be written. Mutating plugins change it in place or put another in its stead. */
  object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly identity: Identity
  readonly dryRun: boolean
  /** `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions`, with kind and apiVersion. */
  readonly options: JsonObject
  /** Sends the client a `Warning` header. */
  warn(message: string): void
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void
  /** For `validate`: calls back when the write does not take place after all, be it refused, lost or only a dry run. */
  ifNotWritten(undo: () => void): void
}

/**
 * A step of admission. `mutate` runs before validation and may change the object; `validate` runs last and may not, save
 * for values the server hands out (addresses, ports), which nobody owns. Both refuse by throwing a `StatusError`. A step
 * that need not wait returns nothing.
 */
export interface AdmissionPlugin {
  readonly name: string
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>
}
