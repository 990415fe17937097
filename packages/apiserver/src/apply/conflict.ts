import type { ManagedFieldsEntry } from '@orrery/kinds'
import { failure, type StatusError } from '@orrery/kinds/values'
import { eachPath, type FieldSet, formatPath, type Path } from './field-set.js'
import { managerKey } from './managers.js'

/** Fields that an applier would change although another manager owns them. */
export interface Conflict {
  readonly with: ManagedFieldsEntry
  readonly fields: FieldSet
}

/** The maximum number of listed fields: an object of 3 MB can have a hundred thousand. */
const MAX_LISTED = 500
/** The maximum length of a listed path: a key can have megabytes, and each field below repeats it. */
const MAX_PATH = 4096

/** The error for an apply without force that would take fields from other managers. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = conflicts
    .map((conflict) => ({ key: managerKey(conflict.with), ...conflict }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const causes: { reason: string; message: string; field: string }[] = []
  const lines: string[] = []
  let count = 0
  for (const { with: manager, fields } of sorted) {
    const name = describe(manager)
    if (causes.length < MAX_LISTED) lines.push(`conflicts with ${name}:`)
    eachPath(fields, (path) => {
      count++
      if (causes.length === MAX_LISTED) return
      const field = shown(path)
      causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })
      lines.push(`- ${field}`)
    })
  }
  if (count > causes.length) lines.push(`and ${count - causes.length} more`)
  const [only] = causes
  const message =
    count === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${count} conflicts: ${lines.join('\n')}`
  return failure(409, 'Conflict', message, { causes })
}

function shown(path: Path): string {
  const text = formatPath(path)
  return text.length > MAX_PATH ? `${text.slice(0, MAX_PATH)}...` : text
}

function describe(entry: ManagedFieldsEntry): string {
  const name = JSON.stringify(entry.manager ?? '')
  const through = entry.subresource ? `${name} with subresource ${JSON.stringify(entry.subresource)}` : name
  return entry.operation === 'Update' ? `${through} using ${entry.apiVersion}` : through
}
