import type { JsonValue, KubeObject, ObjectMeta } from '@orrery/kube'
import { columnsFor } from './builtin.js'
import { renderTable } from './render.js'

/** The moment tables in tests are made. */
export const NOW = new Date('2026-05-01T12:00:00Z')

/** An object created an hour before `NOW`. */
export function objectOf(kind: string, fields: Record<string, unknown>, metadata: ObjectMeta = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x', creationTimestamp: '2026-05-01T11:00:00Z', ...metadata },
    ...fields,
  }
}

/** The cells of an object's row by the names of their columns. */
export function cellsOf(group: string, plural: string, object: KubeObject): Record<string, JsonValue> {
  const resource = { columns: columnsFor(group, plural), custom: false }
  const bytes = renderTable(resource, [object], { includeObject: 'None', now: NOW, listMeta: {} })
  const table = JSON.parse(bytes.toString()) as {
    columnDefinitions: { name: string }[]
    rows: { cells: JsonValue[] }[]
  }
  return Object.fromEntries(
    table.columnDefinitions.map(({ name }, index) => [name, table.rows[0]?.cells[index] ?? null]),
  )
}
