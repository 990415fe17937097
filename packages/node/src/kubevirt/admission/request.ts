import type { KubeObject } from '@orrery/kinds'

/** The user of a request. */
export interface RequestUser {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** The part of an admission request of the embedded API server that the rules use. */
export interface KubevirtRequest {
  readonly operation: string
  readonly resource: { readonly group: string; readonly plural: string }
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly identity: RequestUser
  warn(message: string): void
}

/** The controllers of KubeVirt use an in-process client, which has this name. */
const CONTROLLERS = 'system:apiserver'

/** Returns whether a request comes from KubeVirt itself, which may change the status and spec of instances. */
export function isFromKubevirt({ identity }: KubevirtRequest): boolean {
  return identity.username === CONTROLLERS
}

/** Returns whether a user may clone claims of a namespace. */
export type MayClone = (user: RequestUser, namespace: string) => Promise<boolean>
