import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Selection } from '@orrery/kube/client'
import type { Change } from '@orrery/kube/informer'

/** An informer that shows the objects of another one as another version of their kind. Each is converted once. */
export class ConvertedInformer<T extends ApiObject, S extends ApiObject> implements Informer<T> {
  readonly kind: Kind<T, object>
  readonly #source: Informer<S>
  readonly #convert: (object: S) => T
  readonly #known = new WeakMap<S, T>()

  constructor(kind: Kind<T, object>, source: Informer<S>, convert: (object: S) => T) {
    this.kind = kind
    this.#source = source
    this.#convert = convert
  }

  get selection(): Selection {
    return this.#source.selection
  }

  get synced(): boolean {
    return this.#source.synced
  }

  get size(): number {
    return this.#source.size
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#source.whenSynced(signal)
  }

  get(ref: ObjectRef): T | undefined {
    const found = this.#source.get(ref)
    return found && this.#converted(found)
  }

  list(namespace?: string): T[] {
    return this.#source.list(namespace).map((object) => this.#converted(object))
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#source.byIndex(index, value).map((object) => this.#converted(object))
  }

  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void {
    this.#source.addIndex(index, (object) => valuesOf(this.#converted(object)))
  }

  subscribe(onChange: (change: Change<T>) => void): () => void {
    return this.#source.subscribe(({ before, after, ...change }) =>
      onChange({
        ...change,
        before: before && this.#converted(before),
        after: after && this.#converted(after),
      } as Change<T>),
    )
  }

  #converted(object: S): T {
    const known = this.#known.get(object) ?? this.#convert(object)
    this.#known.set(object, known)
    return known
  }
}
