import type { CallOptions } from '@orrery/kube'

/** What of some options is for every request. */
export function callOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal }
}
