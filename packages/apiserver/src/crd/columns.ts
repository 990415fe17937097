import type { JsonValue } from '@orrery/kinds'
import type { CustomResourceColumnDefinition } from '@orrery/kinds/apiextensions'
import {
  compileJsonPath,
  formatGoFloat,
  formatGoJson,
  humanDuration,
  type JsonPath,
  JsonPathError,
  ParseError,
  parseTime,
} from '@orrery/kinds/values'
import type { Column } from '../kinds/resource.js'

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'CreationTimestamp is the time when the object was created.',
}

/** Returns the columns of a version, or its age if it defines none. An invalid path ends the columns. */
export function columnsOf(definitions: readonly CustomResourceColumnDefinition[]): Column[] {
  const columns: Column[] = []
  for (const definition of definitions.length === 0 ? [AGE] : definitions) {
    const path = readPath(definition.jsonPath)
    if (!path) break
    columns.push(columnOf(definition, path))
  }
  return columns
}

function readPath(jsonPath: string): JsonPath | undefined {
  try {
    return compileJsonPath(`{${jsonPath}}`, { allowMissingKeys: true })
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

function columnOf(definition: CustomResourceColumnDefinition, path: JsonPath): Column {
  const type = definition.type as Column['type']
  const described = `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`
  return {
    name: definition.name,
    type,
    format: definition.format ?? '',
    description: definition.description || described,
    priority: definition.priority ?? 0,
    cell: (object, now) => cellOf(type, path, object, now),
  }
}

function cellOf(type: Column['type'], path: JsonPath, object: unknown, now: Date): JsonValue {
  let value: unknown
  try {
    value = path.first(object)
  } catch (error) {
    if (error instanceof JsonPathError) return null
    throw error
  }
  if (value === undefined) return null
  return type === 'string' ? textOf(value) : typedCell(type, value, now)
}

/** Formats a value like JSONPath. */
function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isInteger(value) ? String(value) : formatGoFloat(value)
    case 'object':
      return value === null ? '<no value>' : formatGoJson(value)
    default:
      return String(value)
  }
}

/** Shows only values of the column's type. */
function typedCell(type: Column['type'], value: unknown, now: Date): JsonValue {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null
    default:
      return null
  }
}

function ageOf(text: string, now: Date): string {
  if (text === '') return '<unknown>'
  try {
    return humanDuration(now.getTime() - parseTime(text).seconds * 1000)
  } catch (error) {
    if (error instanceof ParseError) return '<invalid>'
    throw error
  }
}
