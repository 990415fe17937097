import type { ApiObject, JsonObject, KubeObject } from '@orrery/kinds'
import { mergePatch } from '@orrery/kinds/patch'
import { cloneJson, labelSelectorOf } from '@orrery/kinds/values'
import type { ObjectClient, ObjectSelection, ObjectType } from '../objects/object-client.js'
import type { RecordedOperation } from './dry-works.js'

/** Objects of a dry run: those of a file, and those that the run writes. Nothing leaves the process. */
export class DryObjects implements ObjectClient {
  readonly #operations: RecordedOperation[]
  readonly #objects: Set<ApiObject>

  /** @param operations Calls are added to it. */
  constructor(discovered: readonly ApiObject[], operations: RecordedOperation[]) {
    this.#objects = new Set(cloneJson(discovered))
    this.#operations = operations
  }

  async find(type: ObjectType, { name, namespace = '' }: { name: string; namespace?: string | undefined }) {
    const [found] = this.#select(type, { name, ...(namespace === '' ? {} : { namespace }) })
    this.#record('get', type.kind, { name, namespace }, found === undefined ? 'not found' : 'found')
    return found && cloneJson(found)
  }

  async list(type: ObjectType, selection: ObjectSelection) {
    const found = this.#select(type, selection)
    this.#record('list', type.kind, { name: '', ...selection }, `${found.length} found`)
    return cloneJson(found)
  }

  async apply(object: KubeObject, existing: ApiObject | undefined) {
    const { kind, metadata } = object
    const old = this.#stored(object)
    if (old !== undefined) this.#objects.delete(old)
    const written = mergePatch((old ?? {}) as unknown as JsonObject, object as unknown as JsonObject)
    this.#objects.add(written as unknown as ApiObject)
    const [operation, result] =
      existing === undefined ? (['create', 'created'] as const) : (['patch', 'updated'] as const)
    this.#record(operation, kind, metadata, result, written)
    return cloneJson(written as unknown as ApiObject)
  }

  async delete(object: ApiObject) {
    const stored = this.#stored(object)
    if (stored !== undefined) this.#objects.delete(stored)
    this.#record('delete', object.kind, object.metadata, 'deleted')
  }

  #stored(object: ObjectType & { metadata: { name?: string; namespace?: string | undefined } }): ApiObject | undefined {
    const { name = '', namespace } = object.metadata
    return this.#select(object, { name, ...(namespace === undefined ? {} : { namespace }) })[0]
  }

  /** The scope of a kind is not known here: an object without a namespace is in all of them. */
  #select({ apiVersion, kind }: ObjectType, { namespace, name, labels = {} }: ObjectSelection): ApiObject[] {
    const selector = labelSelectorOf(labels)
    return [...this.#objects].filter(
      (object) =>
        object.apiVersion === apiVersion &&
        object.kind === kind &&
        (name === undefined || object.metadata.name === name) &&
        (namespace === undefined || (object.metadata.namespace ?? namespace) === namespace) &&
        selector.matches(object.metadata.labels),
    )
  }

  #record(
    operation: RecordedOperation['operation'],
    kind: string,
    { name = '', namespace = '' }: { name?: string; namespace?: string | undefined },
    result: string,
    manifest?: unknown,
  ): void {
    const base = { operation, client: 'kubernetes', kind, namespace, name, result } as const
    this.#operations.push(manifest === undefined ? base : { ...base, manifest: cloneJson(manifest) })
  }
}
