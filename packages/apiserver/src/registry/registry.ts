import type { JsonObject } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import type { AdmissionChain } from '../admission/chain.js'
import type { AdmissionRequest } from '../admission/types.js'
import type { WriteOptions } from '../request/options.js'
import type { Store } from '../store/types.js'
import type { WatchHub } from '../watch/types.js'
import type { VerbContext } from './context.js'

/** The dependencies of the verbs. */
export interface Registry {
  readonly store: Store
  readonly hub: WatchHub
  readonly admission: AdmissionChain
  readonly clock: Clock
}

/** What admission gets for a write besides its context. */
type Written = Pick<AdmissionRequest, 'object' | 'oldObject' | 'dryRun' | 'options'>

/** A write in admission, with the callbacks to undo it. */
export class PendingWrite implements AdmissionRequest {
  readonly operation: AdmissionRequest['operation']
  readonly resource: AdmissionRequest['resource']
  readonly subresource: string
  readonly namespace: string
  /** Final only after mutating admission, which may generate it. */
  name: string
  object: AdmissionRequest['object']
  readonly oldObject: AdmissionRequest['oldObject']
  readonly identity: AdmissionRequest['identity']
  readonly dryRun: boolean
  readonly options: JsonObject
  readonly #context: VerbContext
  #undos: (() => void)[] | undefined

  constructor(context: VerbContext, operation: AdmissionRequest['operation'], written: Written) {
    this.operation = operation
    this.resource = context.logic.resource
    this.subresource = context.subresource
    this.namespace = context.namespace
    this.name = context.name
    this.object = written.object
    this.oldObject = written.oldObject
    this.identity = context.identity
    this.dryRun = written.dryRun
    this.options = written.options
    this.#context = context
  }

  warn(message: string): void {
    this.#context.warnings.push(message)
  }

  annotate(key: string, value: string): void {
    this.#context.annotations[key] = value
  }

  waitFor<T>(answer: () => Promise<T>): Promise<T> {
    return this.#context.waitFor(answer)
  }

  ifNotWritten(undo: () => void): void {
    this.#undos ??= []
    this.#undos.push(undo)
  }

  takeBack(): void {
    for (const undo of this.#undos?.splice(0) ?? []) undo()
  }
}

/** Runs the last steps of a write. If it fails or is a dry run, plugins release what they reserved for it. */
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

/** Returns the options of a write for admission. */
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
