import { failure, type ManagedFieldsEntry, type StatusError } from '@orrery/kube'
import { eachPath, type FieldSet, formatPath, type Path } from './fieldset.js'
import { managerKey } from './managers.js'

/** Fields an applier wants to set to something else than the manager that owns them did. */
export interface Conflict {
  readonly with: ManagedFieldsEntry
  readonly fields: FieldSet
}

/** The answer to an apply that is not forced and would take fields from others. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = conflicts
    .map((conflict) => ({ key: managerKey(conflict.with), manager: conflict.with, paths: pathsOf(conflict.fields) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const causes = sorted.flatMap(({ manager, paths }) =>
    paths.map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describe(manager)}`,
      field: formatPath(path),
    })),
  )
  const [only] = causes
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${sorted
          .flatMap(({ manager, paths }) => [
            `conflicts with ${describe(manager)}:`,
            ...paths.map((path) => `- ${formatPath(path)}`),
          ])
          .join('\n')}`
  return failure(409, 'Conflict', message, { causes })
}

function pathsOf(fields: FieldSet): Path[] {
  const paths: Path[] = []
  eachPath(fields, (path) => paths.push(path))
  return paths
}

function describe(entry: ManagedFieldsEntry): string {
  const name = JSON.stringify(entry.manager ?? '')
  const through = entry.subresource ? `${name} with subresource ${JSON.stringify(entry.subresource)}` : name
  return entry.operation === 'Update' ? `${through} using ${entry.apiVersion}` : through
}
