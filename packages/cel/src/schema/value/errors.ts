import type { JsonValue } from '@orrery/kinds'
import type { FieldError } from '@orrery/kinds/values'
import type { Correlation } from '../correlation.js'
import { accepts } from './accept.js'
import { toFieldErrors } from './findings.js'
import { report, reportUpdate } from './report.js'
import type { ValueSchema } from './value-schema.js'

/** What is wrong with a value by its schema, in an object where it is at `at`; unchanged parts of an update are fine. */
export function valueErrors(
  schema: ValueSchema,
  value: JsonValue,
  at: string,
  correlation?: Correlation | undefined,
): FieldError[] {
  if (accepts(schema, value)) return []
  const result = correlation ? reportUpdate(schema, value, correlation) : report(schema, value, '')
  return toFieldErrors(result.findings, at)
}
