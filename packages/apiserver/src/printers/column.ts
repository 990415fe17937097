import type { JsonValue, KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { age, containerImages, containerNames } from './format.js'

export type Cell = (object: KubeObject, now: Date) => JsonValue

/** A column that is always shown. */
export function column(name: string, description: string, cell: Cell, type: Column['type'] = 'string'): Column {
  return { name, type, format: '', description, priority: 0, cell }
}

export function count(name: string, description: string, cell: Cell): Column {
  return column(name, description, cell, 'integer')
}

export function flag(name: string, description: string, cell: Cell): Column {
  return column(name, description, cell, 'boolean')
}

/** Shown only by `-o wide`. */
export function wide(shown: Column): Column {
  return { ...shown, priority: 1 }
}

/** The name column of kinds that do not show the plain name first. */
export function nameColumn(cell: Cell): Column {
  return { ...column('Name', 'Name of the object.', cell), format: 'name' }
}

export const NAME = nameColumn((object) => object.metadata.name ?? '')

export const AGE = column('Age', 'Time since the object was created.', age)

/** The column of kinds without columns of their own. */
export const CREATED_AT = column(
  'Created At',
  'When the object was created.',
  (object) => object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
  'date',
)

/** Containers and images of a pod template. */
export function templateColumns(podSpec: (object: KubeObject) => unknown): readonly Column[] {
  return [
    column('Containers', 'Names of the containers of the template.', (object) => containerNames(podSpec(object))),
    column('Images', 'Images of the containers of the template.', (object) => containerImages(podSpec(object))),
  ]
}
