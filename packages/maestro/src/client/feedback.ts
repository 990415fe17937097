import type { FieldValue, ManifestWork } from '@orrery/api'

/** Selects the manifest of a value, if several report one with the same name. Unset fields match any. */
export interface FeedbackOf {
  readonly group?: string
  readonly kind?: string
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
}

/**
 * The value that a feedback rule with this name reports: a number, text or boolean, and JSON parsed. Undefined until the
 * agent reports it. Throws `SyntaxError` if the agent reported JSON that is not valid.
 * @typeParam T The type of the value, for example of the status of the resource. It is not checked.
 */
export function feedback<T = unknown>(
  work: Pick<ManifestWork, 'status'>,
  name: string,
  of: FeedbackOf = {},
): T | undefined {
  for (const { resourceMeta, statusFeedback } of work.status?.resourceStatus?.manifests ?? []) {
    const isSelected = Object.entries(of).every(
      ([field, value]) => (resourceMeta[field as keyof FeedbackOf] ?? '') === value,
    )
    const found = isSelected ? statusFeedback?.values?.find((value) => value.name === name) : undefined
    if (found !== undefined) return parsedValue(found.fieldValue, name) as T
  }
  return undefined
}

function parsedValue({ type, integer, string, boolean, jsonRaw }: FieldValue, name: string): unknown {
  switch (type) {
    case 'Integer':
      return integer
    case 'String':
      return string
    case 'Boolean':
      return boolean
    case 'JsonRaw':
      try {
        return JSON.parse(jsonRaw ?? '')
      } catch (error) {
        throw new SyntaxError(`feedback ${JSON.stringify(name)} is not valid JSON: ${(error as Error).message}`)
      }
  }
}
