import type { KubeObject } from '@orrery/kinds'
import {
  addAll,
  alreadyExists,
  badRequest,
  fieldRequired,
  fieldTooLong,
  formatTime,
  invalid,
  StatusError,
} from '@orrery/kinds/values'
import { MAX_NAME_LENGTH } from '../store/record.js'
import { HeadMoved } from '../store/types.js'
import type { WriteContext } from './context.js'
import { generateName, shallowCopy } from './object-meta.js'
import { dropDuplicateOwners } from './owner-references.js'
import { claimCreated } from './ownership.js'
import { optionsObject, PendingWrite, type Registry } from './registry.js'
import { newUuid } from './uuid.js'
import { putObject, type WriteResult } from './write-result.js'

/** The number of attempts to generate a unique name. */
const GENERATE_ATTEMPTS = 8

/**
 * Creates an object (REST storage: Create). The caller passes its own decoded object; `ownsFields` is set for apply.
 */
export async function create(
  registry: Registry,
  context: WriteContext,
  input: KubeObject,
  ownsFields = false,
): Promise<WriteResult> {
  const { logic, options } = context
  const { resourceVersion } = input.metadata
  if (resourceVersion !== undefined) {
    if (/^\d+$/.test(resourceVersion) && Number(resourceVersion) > 0) {
      throw badRequest('resourceVersion should not be set on objects to be created')
    }
    // An invalid resourceVersion is ignored, as in kube-apiserver.
    delete input.metadata.resourceVersion
  }
  if (!ownsFields) {
    dropDuplicateOwners(input.metadata, 'as sent', context.warnings)
    claimCreated(context, input, registry.clock)
  }
  const admission = new PendingWrite(context, 'CREATE', {
    object: input,
    oldObject: undefined,
    dryRun: options.dryRun,
    options: optionsObject('CreateOptions', options),
  })
  const mutating = registry.admission.mutate(admission)
  if (mutating !== undefined) await mutating
  const admitted = shallowCopy(admission.object ?? input)
  dropDuplicateOwners(admitted.metadata, 'after admission', context.warnings)
  beforeCreate(registry, context, admitted)

  const base =
    admitted.metadata.name === undefined || admitted.metadata.name === '' ? (admitted.metadata.generateName ?? '') : ''
  for (let attempt = 1; ; attempt++) {
    const object = base === '' ? admitted : withName(admitted, generateName(base))
    logic.prepare(object, undefined, '')
    const errors = logic.validateCreate(object)
    const name = object.metadata.name ?? ''
    if (name === '' && errors.length === 0) {
      errors.push(fieldRequired('metadata.name', 'name or generateName is required'))
    }
    if (name.length > MAX_NAME_LENGTH) errors.push(fieldTooLong('metadata.name', MAX_NAME_LENGTH))
    if (errors.length > 0) throw invalid(logic.resource, name, errors)
    try {
      admission.name = name
      admission.object = object
      const validating = registry.admission.validate(admission)
      if (validating !== undefined) await validating
      addAll(context.warnings, logic.warnings(object, undefined))
      const converting = logic.toStorage(object)
      const stored = converting instanceof Promise ? await converting : converting
      if (!options.dryRun) {
        return { object, entry: await putObject(registry, context, undefined, object, stored), created: true }
      }
      const played = await playedCreate(registry, context, object)
      admission.takeBack()
      return played
    } catch (error) {
      admission.takeBack()
      if (!(error instanceof HeadMoved)) throw error
      if (base === '') throw alreadyExists(nameOf(context), name)
      if (attempt === GENERATE_ATTEMPTS) {
        throw noUniqueName(nameOf(context), name)
      }
    }
  }
}

/** Clients see from Retry-After that another attempt may find a free name. */
function noUniqueName(on: { group: string; resource: string }, name: string): StatusError {
  const { status } = alreadyExists(on, name)
  return new StatusError({
    ...status,
    message: `${status.message}, the server was not able to generate a unique name for the object`,
    details: { ...status.details, retryAfterSeconds: 1 },
  })
}

function nameOf(context: WriteContext): { group: string; resource: string } {
  return { group: context.logic.resource.group, resource: context.logic.resource.plural }
}

function withName(object: KubeObject, name: string): KubeObject {
  const named = shallowCopy(object)
  named.metadata.name = name
  return named
}

/** Sets server-owned fields of a new object, and drops fields that clients must not set (`rest.BeforeCreate`). */
function beforeCreate(registry: Registry, context: WriteContext, object: KubeObject): void {
  const { logic } = context
  const meta = object.metadata
  // Deleting is slow even if there is nothing to delete.
  if (meta.deletionTimestamp !== undefined) delete meta.deletionTimestamp
  if (meta.deletionGracePeriodSeconds !== undefined) delete meta.deletionGracePeriodSeconds
  if (logic.resource.namespaced) meta.namespace = context.namespace
  meta.uid = newUuid()
  meta.creationTimestamp = formatTime(registry.clock.now())
  if (logic.traits.generation) meta.generation = 1
  if (logic.traits.hasStatus && !logic.traits.keepsStatusOnCreate) delete object.status
}

/** A dry run does everything except writing. */
async function playedCreate(registry: Registry, context: WriteContext, object: KubeObject): Promise<WriteResult> {
  const { logic, namespace } = context
  const { bucket } = logic.resource.storage
  if (registry.store.head(bucket, namespace, object.metadata.name ?? '') !== undefined) throw new HeadMoved()
  // Reading a custom resource applies status defaults, which a new object does not have.
  const shown = logic.resource.custom ? await logic.fromStorage(object) : object
  return { object: shown, entry: undefined, created: true }
}
