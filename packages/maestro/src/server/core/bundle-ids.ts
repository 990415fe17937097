import { isDNS1123Subdomain } from '@orrery/kinds/values'
import { bundleId } from '../../codec/ids.js'
import { MaestroError } from '../errors.js'

/** The ID of a bundle that a source creates, and what it is derived from. */
export interface NewId {
  readonly id: string
  readonly source: string
  readonly consumerName: string
  /** The metadata of the work. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** UUIDs of version 5. Clients derive them from the source, the consumer and the name of a work. */
const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * Checks the ID of a new bundle. It is the name of the work on the cluster. Everybody can compute the derived ID of a work, and
 * clients read their works by it: a source that took the ID of another one could keep it from creating the work, and answer
 * instead of it. Throws `MaestroError`.
 */
export function checkNewId({ id, source, consumerName, metadata }: NewId): void {
  const [problem] = isDNS1123Subdomain(id)
  if (problem !== undefined) {
    throw new MaestroError('Validation', `the resource id ${JSON.stringify(id.slice(0, 100))} is not valid: ${problem}`)
  }
  if (!DERIVED.test(id)) return
  const { name, namespace } = metadata
  const owned = bundleId(source, textOf(namespace) || consumerName, textOf(name))
  if (owned === id) return
  throw new MaestroError(
    'Forbidden',
    `the resource id ${id} does not belong to the work ${JSON.stringify(textOf(name).slice(0, 100))} of source ` +
      `${JSON.stringify(source.slice(0, 100))}: use ${owned}, or an id that is not a UUID of version 5`,
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
