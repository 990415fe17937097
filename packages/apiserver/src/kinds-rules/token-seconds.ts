import { type FieldError, fieldInvalid } from '@orrery/kinds/values'

/** How long a service account token may be asked for. */
export function checkTokenSeconds(seconds: number, at: string, errors: FieldError[]): void {
  if (seconds < 600) errors.push(fieldInvalid(at, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > 2 ** 32) errors.push(fieldInvalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'))
}
