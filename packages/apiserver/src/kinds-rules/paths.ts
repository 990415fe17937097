import { type FieldError, fieldInvalid } from '@orrery/kinds/values'
import type { Check } from './check.js'

/** A path without `..`. */
export function noBacksteps(path: string, at: string, errors: FieldError[]): void {
  if (path.split('/').includes('..')) errors.push(fieldInvalid(at, path, "must not contain '..'"))
}

/** A path relative to its mount path. */
export const relativePath: Check = (value, at, errors) => {
  const path = typeof value === 'string' ? value : ''
  if (path.startsWith('/')) errors.push(fieldInvalid(at, path, 'must be a relative path'))
  noBacksteps(path, at, errors)
}

/** A relative path that avoids the names the kubelet uses. */
export const localPath: Check = (value, at, errors) => {
  relativePath(value, at, errors)
  if (typeof value === 'string' && value.startsWith('..') && !value.startsWith('../')) {
    errors.push(fieldInvalid(at, value, "must not start with '..'"))
  }
}
