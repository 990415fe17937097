import type { FieldValue, ManifestWork } from '@orrery/api'

/**
 * The value that a feedback rule of this name reported, parsed if it is JSON; undefined if no manifest of the work has
 * reported it yet.
 */
export function feedbackOf<T = unknown>(work: ManifestWork, name: string): T | undefined {
  for (const manifest of work.status?.resourceStatus?.manifests ?? []) {
    const found = manifest.statusFeedback?.values?.find((value) => value.name === name)
    if (found !== undefined) return parsed(found.fieldValue, name) as T
  }
  return undefined
}

function parsed(value: FieldValue, name: string): unknown {
  switch (value.type) {
    case 'Integer':
      return value.integer
    case 'String':
      return value.string
    case 'Boolean':
      return value.boolean
    case 'JsonRaw':
      try {
        return JSON.parse(value.jsonRaw ?? 'null')
      } catch (error) {
        throw new Error(`feedback ${JSON.stringify(name)} is not JSON: ${(error as Error).message}`)
      }
  }
}
