import { createHash } from 'node:crypto'
import { formatGoJson } from '@orrery/kinds/values'

const NOT_CONFIGURATION: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])

/**
 * The hash of a configuration object: the SHA-256, in hexadecimal digits, of the JSON of all its fields but `apiVersion`, `kind`,
 * `metadata` and `status`. It is equal to that of Open Cluster Management, since add-ons and hubs of both compare hashes.
 */
export function configSpecHash(object: object): string {
  const fields = Object.entries(object).filter(([key]) => !NOT_CONFIGURATION.has(key))
  return createHash('sha256')
    .update(formatGoJson(Object.fromEntries(fields)))
    .digest('hex')
}
