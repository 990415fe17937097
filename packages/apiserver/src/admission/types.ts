import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { Identity } from '../identity/identity.js'
import type { Resource } from '../kinds/resource.js'

/** The attributes of a write for admission (`admission.Attributes`). */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly resource: Resource
  readonly subresource: string
  readonly namespace: string
  /** Empty until `generateName` is resolved. */
  readonly name: string
  /** The object to be written. Mutating plugins change it in place or replace it. */
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
  /** Waits for another server. The request has no seats of its priority level meanwhile, so that others are served. */
  waitFor<T>(answer: () => Promise<T>): Promise<T>
  /** For `validate`: calls back if the write does not happen, because it is refused, conflicts or is a dry run. */
  ifNotWritten(undo: () => void): void
}

/**
 * An admission plugin. `mutate` runs before validation and may change the object. `validate` runs last and may not,
 * except for values that the server allocates (addresses, ports) and that have no owner. Both refuse by throwing a
 * `StatusError`. A synchronous plugin returns nothing.
 */
export interface AdmissionPlugin {
  readonly name: string
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>
}
