import type { JsonValue } from '@orrery/kinds'
import type { FieldError } from '@orrery/kinds/values'
import type { Correlation } from '../correlation.js'
import type { SchemaNode } from '../schema-tree.js'
import { accepts } from './accept.js'
import { toFieldErrors } from './findings.js'
import { report, reportUpdate } from './report.js'

/** The schema errors of a value at `at` in an object; unchanged parts of an update are ignored. */
export function valueErrors(
  schema: SchemaNode,
  value: JsonValue,
  at: string,
  correlation?: Correlation | undefined,
): FieldError[] {
  if (accepts(schema, value)) return []
  const result = correlation ? reportUpdate(schema, value, correlation) : report(schema, value, '')
  return toFieldErrors(result.findings, at)
}
