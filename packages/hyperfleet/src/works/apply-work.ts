import type { ManifestWork, NewManifestWork } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isAlreadyExists, isNotFound } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'
import type { WorkClient, Works } from './work-client.js'

/** The generation of the HyperFleet resource that a work was made from. */
export const GENERATION_ANNOTATION = 'hyperfleet.io/generation'
/** Labels that say whose work it is. */
const OWNER_LABELS = ['hyperfleet.io/adapter', 'hyperfleet.io/cluster-id']

export interface ApplyWorkContext {
  readonly client: WorkClient
  readonly signal: AbortSignal
}

export interface AppliedWork {
  readonly operation: 'created' | 'updated' | 'unchanged'
  readonly work: ManifestWork
}

/**
 * Creates a work, or updates it if its generation annotation differs. Without that annotation an existing work stays as
 * it is.
 */
export async function applyWork(wanted: NewManifestWork, context: ApplyWorkContext): Promise<AppliedWork> {
  const { client, signal } = context
  const { name, namespace: consumer } = wanted.metadata
  if (name === undefined || name === '') throw new AdapterError('Validation', 'metadata.name: Required value')
  if (consumer === undefined || consumer === '') {
    throw new AdapterError('Validation', 'metadata.namespace: Required value: set it to the name of the consumer')
  }
  const works = client.manifestWorks(consumer)
  try {
    const existing = await existingWork(works, name, signal)
    if (existing !== undefined) return await updated(works, existing, wanted, signal)
    return await created(works, wanted, name, signal)
  } catch (error) {
    throw withRegistrationHint(error, consumer)
  }
}

async function existingWork(works: Works, name: string, signal: AbortSignal): Promise<ManifestWork | undefined> {
  try {
    return await works.get(name, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Another run of the adapter can create the work first. */
async function created(works: Works, wanted: NewManifestWork, name: string, signal: AbortSignal): Promise<AppliedWork> {
  try {
    return { operation: 'created', work: await works.create(wanted, { signal }) }
  } catch (error) {
    if (isNotFound(error)) throw unregistered(wanted.metadata.namespace ?? '', error)
    if (!isAlreadyExists(error)) throw error
    const existing = await existingWork(works, name, signal)
    if (existing === undefined) throw error
    return updated(works, existing, wanted, signal)
  }
}

async function updated(
  works: Works,
  existing: ManifestWork,
  wanted: NewManifestWork,
  signal: AbortSignal,
): Promise<AppliedWork> {
  checkOwner(existing, wanted)
  const generation = wanted.metadata.annotations?.[GENERATION_ANNOTATION]
  if (generation === undefined || existing.metadata.annotations?.[GENERATION_ANNOTATION] === generation) {
    return { operation: 'unchanged', work: existing }
  }
  const { labels = {}, annotations = {} } = wanted.metadata
  const patch = { metadata: { labels, annotations }, spec: wanted.spec ?? {} }
  const work = await works.patch(existing.metadata.name, patch as unknown as JsonObject, { signal })
  return { operation: 'updated', work }
}

function checkOwner(existing: ManifestWork, wanted: NewManifestWork): void {
  for (const label of OWNER_LABELS) {
    const [own, other] = [wanted.metadata.labels?.[label], existing.metadata.labels?.[label]]
    if (own === undefined || other === own) continue
    const { name, namespace } = existing.metadata
    const owner = other === undefined ? `has no label ${label}` : `has the label ${label}=${other}`
    throw new AdapterError(
      'Conflict',
      `ManifestWork ${JSON.stringify(`${namespace}/${name}`)} belongs to another owner: it ${owner}, not ${own}. ` +
        'Use another name, or delete that work.',
    )
  }
}

/** A server of Maestro reports an unknown consumer as a violated foreign key, and its client as NotFound. */
function withRegistrationHint(error: unknown, consumer: string): unknown {
  const isUnregistered = error instanceof Error && error.message.includes('fk_resources_consumers')
  return isUnregistered ? unregistered(consumer, error) : error
}

function unregistered(consumer: string, cause: unknown): AdapterError {
  const message =
    `consumer ${JSON.stringify(consumer)} is not registered in Maestro: create it, or correct the name of the ` +
    'management cluster'
  return new AdapterError('Maestro', message, { cause })
}
