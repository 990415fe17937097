import type { JsonObject, JsonValue, KubeObject, ObjectMeta } from '@orrery/kinds'
import { columnsFor } from './builtin.js'
import { type ListMeta, type TableOptions, type TableResource, tableParts } from './render.js'

/** The time of tables in tests. */
export const NOW = new Date('2026-05-01T12:00:00Z')

/** Returns an object created an hour before `NOW`. */
export function objectOf(kind: string, fields: Record<string, unknown>, metadata: ObjectMeta = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x', creationTimestamp: '2026-05-01T11:00:00Z', ...metadata },
    ...fields,
  }
}

/** Returns the cells of an object's row by column name. */
export function cellsOf(group: string, plural: string, object: KubeObject): Record<string, JsonValue> {
  const resource = { columns: columnsFor(group, plural), custom: false }
  const { columnDefinitions, rows } = tableOf(resource, [object], { includeObject: 'None', now: NOW, listMeta: {} })
  const cells = rows[0]?.cells as JsonValue[]
  return Object.fromEntries(columnDefinitions.map(({ name }, index) => [name, cells[index] ?? null]))
}

/** Returns a whole Table. */
export function tableOf(
  resource: TableResource,
  objects: readonly KubeObject[],
  options: TableOptions & { readonly listMeta: ListMeta },
): JsonObject & { rows: JsonObject[]; columnDefinitions: JsonObject[] } {
  const { head, member, item } = tableParts(resource, options)
  return { rows: [], columnDefinitions: [], ...head, [member]: objects.map(item) }
}
