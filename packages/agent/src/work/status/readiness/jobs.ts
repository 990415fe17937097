import { conditionText, holds } from './conditions.js'
import type { Subject } from './fields.js'
import { failed, progressing, READY, type Readiness } from './types.js'

/** A Job is ready when it is complete or suspended. */
export function jobReadiness(subject: Subject): Readiness {
  const { spec, status, conditions } = subject
  const failure = conditions.get('Failed')
  if (failure?.status === 'True') return failed(conditionText('Failed', failure))
  if (holds(subject, 'Complete') || spec.isTrue('suspend')) return READY
  const completions = spec.number('completions', undefined)
  const succeeded = status.number('succeeded', 0)
  const active = status.number('active', 0)
  const lost = status.number('failed', 0)
  const done = completions === undefined ? `${succeeded} pods` : `${succeeded} of ${completions} pods`
  return progressing(`${done} have succeeded, ${active} are active, ${lost} have failed`)
}
