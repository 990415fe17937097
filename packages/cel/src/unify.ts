import { type CelType, dynType, sameType } from './type.js'

/** The bindings of type variables. Trying an overload may fail half-way, so bindings can be undone to a mark. */
export class TypeBindings {
  readonly #types = new Map<string, CelType>()
  readonly #trail: { name: string; before: CelType | undefined }[] = []
  #variables = 0

  /** An unused type variable. */
  fresh(): CelType {
    return { kind: 'param', name: `_var${this.#variables++}`, params: [] }
  }

  /** Whether a value of one type can be used where the other is expected; binds variables if so. */
  assignable(a: CelType, b: CelType): boolean {
    return this.assignableList([a], [b])
  }

  assignableList(a: readonly CelType[], b: readonly CelType[]): boolean {
    const mark = this.#trail.length
    if (this.#matchList(a, b)) return true
    this.#undo(mark)
    return false
  }

  /** The type with variables replaced; unbound ones are kept, or become dyn. */
  resolve(type: CelType, unboundToDyn = false): CelType {
    if (type.kind === 'param') {
      const bound = this.#types.get(type.name)
      if (bound !== undefined) return this.resolve(bound, unboundToDyn)
      return unboundToDyn ? dynType : type
    }
    if (type.params.length === 0) return type
    const params = type.params.map((param) => this.resolve(param, unboundToDyn))
    return params.every((param, i) => param === type.params[i]) ? type : { ...type, params }
  }

  #matchList(a: readonly CelType[], b: readonly CelType[]): boolean {
    return a.length === b.length && a.every((type, i) => this.#match(type, b[i] as CelType))
  }

  #match(a: CelType, b: CelType): boolean {
    if (b.kind === 'param') {
      const outcome = this.#substitute(a, b)
      if (outcome !== 'impossible') return outcome === 'valid'
    }
    if (a.kind === 'param') return this.#substitute(b, a) === 'valid'
    if (isLoose(a) || isLoose(b)) return true
    if (a.kind === 'null') return isNullable(b)
    if (b.kind === 'null') return isNullable(a)
    if (a.kind === 'type') return b.kind === 'type'
    return a.kind === b.kind && a.name === b.name && this.#matchList(a.params, b.params)
  }

  /** Binds a type to a variable, if it fits the earlier binding. */
  #substitute(type: CelType, variable: CelType): 'valid' | 'conflict' | 'impossible' {
    if (sameType(type, variable)) return 'valid'
    const bound = this.#types.get(variable.name)
    if (bound === undefined) {
      if (this.#occurs(variable, type)) return 'impossible'
      this.#bind(variable, type)
      return 'valid'
    }
    if (sameType(type, bound)) return 'valid'
    if (!this.#match(type, bound)) return 'conflict'
    const general = isMoreGeneral(type, bound) ? type : bound
    if (!this.#occurs(variable, general)) this.#bind(variable, general)
    return 'valid'
  }

  #occurs(variable: CelType, within: CelType): boolean {
    if (sameType(variable, within)) return true
    if (within.kind === 'param') {
      const bound = this.#types.get(within.name)
      return bound !== undefined && this.#occurs(variable, bound)
    }
    return within.params.some((param) => this.#occurs(variable, param))
  }

  #bind(variable: CelType, type: CelType): void {
    this.#trail.push({ name: variable.name, before: this.#types.get(variable.name) })
    this.#types.set(variable.name, type)
  }

  #undo(mark: number): void {
    for (let entry = this.#trail.length; entry > mark; entry--) {
      const last = this.#trail.pop()
      if (last === undefined) return
      if (last.before === undefined) this.#types.delete(last.name)
      else this.#types.set(last.name, last.before)
    }
  }
}

/** Of two compatible types, whether the first is more general. */
export function isMoreGeneral(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.params.length === 0) return sameType(a, b)
  return a.name === b.name && a.params.every((param, i) => isMoreGeneral(param, b.params[i] as CelType))
}

function isLoose({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error'
}

function isNullable({ kind }: CelType): boolean {
  return (
    kind === 'null' ||
    kind === 'object' ||
    kind === 'opaque' ||
    kind === 'optional' ||
    kind === 'timestamp' ||
    kind === 'duration'
  )
}
