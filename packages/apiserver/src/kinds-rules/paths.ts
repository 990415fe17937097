import { type FieldError, fieldInvalid } from '@orrery/kinds/values'
import type { Check } from './check.js'

/** A path that never climbs. */
export function noBacksteps(path: string, at: string, errors: FieldError[]): void {
  if (path.split('/').includes('..')) errors.push(fieldInvalid(at, path, "must not contain '..'"))
}

/** A path below the one it is mounted at. */
export const relativePath: Check = (value, at, errors) => {
  const path = typeof value === 'string' ? value : ''
  if (path.startsWith('/')) errors.push(fieldInvalid(at, path, 'must be a relative path'))
  noBacksteps(path, at, errors)
}

/** A relative path that keeps clear of the names the kubelet uses for itself. */
export const localPath: Check = (value, at, errors) => {
  relativePath(value, at, errors)
  if (typeof value === 'string' && value.startsWith('..') && !value.startsWith('../')) {
    errors.push(fieldInvalid(at, value, "must not start with '..'"))
  }
}
