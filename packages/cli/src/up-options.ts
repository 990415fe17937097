import type { ServingOptions } from './shared/serving.js'

/** The flags of `orrery up`. */
export interface UpOptions extends ServingOptions {
  readonly clusters?: number
  readonly data?: string
  readonly detach?: boolean
  readonly sample?: boolean
  readonly addon?: readonly string[]
  readonly maestro?: boolean
  readonly kubevirt?: boolean
  readonly ovim?: boolean
  readonly newStore?: boolean
  readonly background?: boolean
  readonly timeout: number
}
