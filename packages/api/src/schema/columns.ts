import type { CustomResourceColumnDefinition } from '@orrery/kinds'

/** A column with the age of an object. */
export const AGE_COLUMN: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
}

/** A column with the status of a condition, or another of its fields. */
export function conditionColumn(
  name: string,
  type: string,
  field: 'status' | 'reason' = 'status',
): CustomResourceColumnDefinition {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].${field}` }
}
