import type { Clock, JsonObject } from '@orrery/kube'
import type { AdmissionChain } from '../admission/chain.js'
import type { AdmissionRequest } from '../admission/types.js'
import type { WriteOptions } from '../request/options.js'
import type { Store } from '../store/types.js'
import type { WatchHub } from '../watch/types.js'
import type { VerbContext } from './context.js'

/** What the verbs work with. */
export interface Registry {
  readonly store: Store
  readonly hub: WatchHub
  readonly admission: AdmissionChain
  readonly clock: Clock
}

/** A write in admission, with what to take back should it not come about. */
export interface PendingWrite extends AdmissionRequest {
  takeBack(): void
}

/** Runs the last steps of a write; plugins take back what they set aside for it when it fails or is a dry run. */
export async function settle<T>(pending: PendingWrite, write: () => Promise<T>): Promise<T> {
  let written = false
  try {
    const result = await write()
    written = !pending.dryRun
    return result
  } finally {
    if (!written) pending.takeBack()
  }
}

/** Builds the admission view of a write. */
export function admissionRequest(
  context: VerbContext,
  operation: AdmissionRequest['operation'],
  fields: Pick<AdmissionRequest, 'object' | 'oldObject' | 'dryRun' | 'options'>,
): PendingWrite {
  const undos: (() => void)[] = []
  return {
    operation,
    resource: context.logic.resource,
    subresource: context.subresource,
    namespace: context.namespace,
    name: context.name,
    identity: context.identity,
    ...fields,
    warn: (message) => {
      context.warnings.push(message)
    },
    annotate: (key, value) => {
      context.annotations[key] = value
    },
    ifNotWritten: (undo) => {
      undos.push(undo)
    },
    takeBack: () => {
      for (const undo of undos.splice(0)) undo()
    },
  }
}

/** The options of a write as admission is shown them. */
export function optionsObject(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
): JsonObject {
  const object: JsonObject = { kind, apiVersion: 'meta.k8s.io/v1' }
  if (options.dryRun) object.dryRun = ['All']
  if (options.force !== undefined) object.force = options.force
  if (options.fieldManager !== '') object.fieldManager = options.fieldManager
  if (options.validationAsked) object.fieldValidation = options.fieldValidation
  return object
}
