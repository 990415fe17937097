import { isObject } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'

/** Part of an object with unknown content. */
export class Fields {
  readonly #value: Readonly<Record<string, unknown>>

  constructor(value: unknown) {
    this.#value = isObject(value) ? value : {}
  }

  /** The value of a field; empty if there is none. */
  in(name: string): Fields {
    return new Fields(this.#own(name))
  }

  /** The items of a list; none if it is not a list. */
  items(name: string): Fields[] {
    const value = this.#own(name)
    return Array.isArray(value) ? value.map((item) => new Fields(item)) : []
  }

  text(name: string): string | undefined {
    const value = this.#own(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** A number; the default if there is none. */
  number<T extends number | undefined>(name: string, otherwise: T): number | T {
    const value = this.#own(name)
    return typeof value === 'number' ? value : otherwise
  }

  isTrue(name: string): boolean {
    return this.#own(name) === true
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#value, name) ? this.#value[name] : undefined
  }
}

/** The parts of an object that determine its readiness. */
export interface Subject {
  /** `metadata.generation`; undefined for kinds without it. */
  readonly generation: number | undefined
  readonly spec: Fields
  readonly status: Fields
  /** The conditions of the status, by type. */
  readonly conditions: ReadonlyMap<string, ConditionFields>
}

export interface ConditionFields {
  readonly status: string
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly observedGeneration: number | undefined
}

export function subjectOf(object: DynamicObject): Subject {
  const status = new Fields(object.status)
  const conditions = new Map<string, ConditionFields>()
  for (const condition of status.items('conditions')) {
    const type = condition.text('type')
    if (type === undefined) continue
    conditions.set(type, {
      status: condition.text('status') ?? 'Unknown',
      reason: condition.text('reason'),
      message: condition.text('message'),
      observedGeneration: condition.number('observedGeneration', undefined),
    })
  }
  return { generation: object.metadata.generation, spec: new Fields(object.spec), status, conditions }
}
