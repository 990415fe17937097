import type { KubeObject } from '@orrery/kinds'

/** Who asks for a write. */
export interface Requester {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** An object that somebody wants to create or update, wherever that was noticed. */
export interface Write {
  readonly object: KubeObject
  /** What is there now; undefined when the object is new. */
  readonly oldObject: KubeObject | undefined
  readonly user: Requester
}
