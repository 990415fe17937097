import { type FieldError, fieldInvalid } from '@orrery/kinds/values'
import { tokenLifetimeProblem } from '../identity/token-lifetime.js'

/** The expiration of a service account token. */
export function checkTokenSeconds(seconds: number, at: string, errors: FieldError[]): void {
  const problem = tokenLifetimeProblem(seconds)
  if (problem !== undefined) errors.push(fieldInvalid(at, seconds, problem))
}
