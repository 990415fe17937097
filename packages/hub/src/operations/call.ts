import type { CallOptions } from '@orrery/kube/client'

/** The options that apply to every request. */
export function callOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal }
}
