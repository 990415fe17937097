import type { JsonValue } from '@orrery/kinds'
import type { CustomResourceColumnDefinition } from '@orrery/kinds/apiextensions'
import {
  compileJsonPath,
  formatGoFloat,
  formatGoJson,
  humanDuration,
  type JsonPath,
  JsonPathError,
  JsonPathVisits,
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

/** What the cells of one row may take together. A definition can have thousands of columns, each of a whole object. */
const MAX_ROW_CHARACTERS = 1024 * 1024
const MAX_ROW_VISITS = 200_000

/** The limits of a row. Its cells are rendered in the order of the columns; those beyond a limit are empty. */
class RowLimits {
  visits = new JsonPathVisits(MAX_ROW_VISITS)
  #characters = 0

  begin(): void {
    this.visits = new JsonPathVisits(MAX_ROW_VISITS)
    this.#characters = 0
  }

  get isFull(): boolean {
    return this.#characters >= MAX_ROW_CHARACTERS
  }

  add(text: string): string {
    this.#characters += text.length
    return text
  }
}

/** Returns the columns of a version, or its age if it defines none. An invalid path ends the columns. */
export function columnsOf(definitions: readonly CustomResourceColumnDefinition[]): Column[] {
  const columns: Column[] = []
  const limits = new RowLimits()
  for (const definition of definitions.length === 0 ? [AGE] : definitions) {
    const path = readPath(definition.jsonPath)
    if (!path) break
    columns.push(columnOf(definition, path, limits, columns.length === 0))
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

function columnOf(
  definition: CustomResourceColumnDefinition,
  path: JsonPath,
  limits: RowLimits,
  isFirst: boolean,
): Column {
  const type = definition.type as Column['type']
  const described = `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`
  return {
    name: definition.name,
    type,
    format: definition.format ?? '',
    description: definition.description || described,
    priority: definition.priority ?? 0,
    cell: (object, now) => {
      if (isFirst) limits.begin()
      return limits.isFull ? null : cellOf(type, path, object, now, limits)
    },
  }
}

function cellOf(type: Column['type'], path: JsonPath, object: unknown, now: Date, limits: RowLimits): JsonValue {
  let value: unknown
  try {
    value = path.first(object, limits.visits)
  } catch (error) {
    if (error instanceof JsonPathError) return null
    throw error
  }
  if (value === undefined) return null
  return type === 'string' ? limits.add(textOf(value)) : typedCell(type, value, now)
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
