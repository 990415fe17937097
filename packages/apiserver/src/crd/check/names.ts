import {
  childPath,
  collectFieldErrors,
  type FieldError,
  fieldInvalid,
  indexPath,
  isDNS1035Label,
} from '@orrery/kinds/values'
import type { CrdNames } from '../types.js'

/** Returns the errors of the names of a definition; missing names are not reported. */
export function nameErrors(names: CrdNames, path: string): FieldError[] {
  return collectFieldErrors((errors) => checkNames(names, path, errors))
}

function checkNames(names: CrdNames, path: string, errors: FieldError[]): void {
  for (const field of ['plural', 'singular'] as const) checkLabel(names[field], childPath(path, field), errors)
  for (const field of ['kind', 'listKind'] as const) checkKind(names[field], childPath(path, field), errors)
  checkLabels(names.shortNames, childPath(path, 'shortNames'), errors)
  if (names.kind && names.kind === names.listKind) {
    errors.push(fieldInvalid(childPath(path, 'listKind'), names.listKind, 'kind and listKind may not be the same'))
  }
  checkLabels(names.categories, childPath(path, 'categories'), errors)
}

function checkLabel(name: string | undefined, path: string, errors: FieldError[]): void {
  if (!name) return
  const problems = isDNS1035Label(name)
  if (problems.length > 0) errors.push(fieldInvalid(path, name, problems.join(',')))
}

function checkKind(kind: string | undefined, path: string, errors: FieldError[]): void {
  if (!kind) return
  const problems = isDNS1035Label(kind.toLowerCase())
  if (problems.length === 0) return
  errors.push(fieldInvalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`))
}

function checkLabels(names: readonly string[] | undefined, path: string, errors: FieldError[]): void {
  for (const [index, name] of (names ?? []).entries()) {
    const problems = isDNS1035Label(name)
    if (problems.length > 0) errors.push(fieldInvalid(indexPath(path, index), name, problems.join(',')))
  }
}
