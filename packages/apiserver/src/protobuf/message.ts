import type { Field, StructSchema } from '@orrery/kinds/tables'

/** One field number of a message: a field, or a message whose fields JSON inlines into the parent. */
export interface Slot {
  readonly number: number
  readonly field?: Field
  readonly inline?: Message
}

/** The protobuf message of a struct. */
export interface Message {
  /** In ascending order of numbers. */
  readonly slots: readonly Slot[]
  /** The same by number, with holes. */
  readonly byNumber: readonly (Slot | undefined)[]
}

const messages = new WeakMap<StructSchema, Message>()

/** Returns the message of a struct, created on first use. */
export function messageOf(schema: StructSchema): Message {
  let message = messages.get(schema)
  if (message === undefined) {
    message = makeMessage([...schema.fields.values()], 0)
    messages.set(schema, message)
  }
  return message
}

function makeMessage(fields: readonly Field[], depth: number): Message {
  const byNumber: (Slot | undefined)[] = []
  const inlined = new Map<number, Field[]>()
  for (const field of fields) {
    const number = field.proto?.[depth]
    if (number === undefined) continue
    if (field.proto?.length === depth + 1) byNumber[number] = { number, field }
    else {
      const group = inlined.get(number)
      if (group === undefined) inlined.set(number, [field])
      else group.push(field)
    }
  }
  for (const [number, group] of inlined) byNumber[number] = { number, inline: makeMessage(group, depth + 1) }
  return { slots: byNumber.filter((slot) => slot !== undefined), byNumber }
}
