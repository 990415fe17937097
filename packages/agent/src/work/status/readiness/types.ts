import type { Subject } from './fields.js'

/**
 * How far an object is from doing what it should. Neither text: it does. Both: it has failed, and will not get there
 * without help, unless what is wrong may pass.
 */
export interface Readiness {
  /** What is still to happen. */
  readonly progressing?: string
  /** What is wrong. */
  readonly degraded?: string
  /** Whether what is wrong may well go away by itself. */
  readonly isPassing?: boolean
}

/** How readiness is told from the objects of a kind. */
export type ReadinessRule = (subject: Subject) => Readiness

export const READY: Readiness = {}

export function progressing(message: string): Readiness {
  return { progressing: message }
}

export function failed(message: string): Readiness {
  return { progressing: message, degraded: message }
}

/** Something is wrong, and may well go away by itself. */
export function degradedForNow(message: string): Readiness {
  return { progressing: message, degraded: message, isPassing: true }
}
