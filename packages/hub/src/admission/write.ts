import type { KubeObject } from '@orrery/kinds'

/** The user who sends an admission request. */
export interface UserInfo {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** A request to create or update an object, from a webhook or an admission plugin. */
export interface Write {
  readonly object: KubeObject
  /** The stored object; undefined on create. */
  readonly oldObject: KubeObject | undefined
  /** Empty for the object itself. */
  readonly subresource: string
  readonly user: UserInfo
}
