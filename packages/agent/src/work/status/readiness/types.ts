import type { Subject } from './fields.js'

/**
 * The readiness of an object. Without texts it is ready. With both it has failed and needs help, unless the problem
 * is temporary.
 */
export interface Readiness {
  /** What is missing until it is ready. */
  readonly progressing?: string
  /** The problem. */
  readonly degraded?: string
  /** Whether the problem may resolve by itself. */
  readonly isPassing?: boolean
}

/** Determines the readiness of objects of a kind. */
export type ReadinessRule = (subject: Subject) => Readiness

export const READY: Readiness = {}

export function progressing(message: string): Readiness {
  return { progressing: message }
}

export function failed(message: string): Readiness {
  return { progressing: message, degraded: message }
}

/** Degraded by a problem that may resolve by itself. */
export function degradedForNow(message: string): Readiness {
  return { progressing: message, degraded: message, isPassing: true }
}
