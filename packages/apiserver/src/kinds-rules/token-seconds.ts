import { type FieldError, fieldInvalid } from '@orrery/kinds/values'
import { tokenLifetimeProblem } from '../identity/token-lifetime.js'

/** How long a service account token may be asked for. */
export function checkTokenSeconds(seconds: number, at: string, errors: FieldError[]): void {
  const problem = tokenLifetimeProblem(seconds)
  if (problem !== undefined) errors.push(fieldInvalid(at, seconds, problem))
}
