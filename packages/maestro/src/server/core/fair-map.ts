import { FairList, type Flowing } from '@orrery/kube/fair'

interface Member<Value> extends Flowing<Member<Value>> {
  readonly key: string
  value: Value
}

/** Values by key. They are taken in the order in which their keys were added, in turns of their flows. */
export class FairMap<Value> {
  readonly #members = new Map<string, Member<Value>>()
  readonly #list = new FairList<Member<Value>>()

  get size(): number {
    return this.#members.size
  }

  get(key: string): Value | undefined {
    return this.#members.get(key)?.value
  }

  /** A key that is there already keeps its place and its flow. */
  set(key: string, flow: string, value: Value): void {
    const known = this.#members.get(key)
    if (known !== undefined) {
      known.value = value
      return
    }
    const member: Member<Value> = { key, flow, value, previous: undefined, next: undefined }
    this.#members.set(key, member)
    this.#list.append(member)
  }

  delete(key: string): void {
    const member = this.#members.get(key)
    if (member === undefined) return
    this.#members.delete(key)
    this.#list.remove(member)
  }

  /** Removes the next one. */
  take(): Pick<Member<Value>, 'key' | 'flow' | 'value'> | undefined {
    const member = this.#list.take()
    if (member !== undefined) this.#members.delete(member.key)
    return member
  }

  clear(): void {
    while (this.take() !== undefined);
  }
}
