import type { JsonObject } from '@orrery/kinds'
import type { Field } from '@orrery/kinds/tables'
import { BYTES, Writer } from '@orrery/kube/protobuf'
import { writeField, writeStruct } from './encode.js'
import { RAW, schemaOf, writeEnvelopeEnd, writeEnvelopeStart } from './envelope.js'
import { messageOf } from './message.js'

/** A list with its envelope, equal to `encodeProtobuf`, with the items encoded individually. */
export class ProtobufList {
  readonly #number: number
  readonly #field: Field
  readonly #rest: Writer
  readonly #head: JsonObject
  readonly #writer = new Writer()
  readonly #items: Buffer[] = []
  #bytes = 0

  private constructor(head: JsonObject, rest: Writer, number: number, field: Field) {
    this.#head = head
    this.#rest = rest
    this.#number = number
    this.#field = field
  }

  /** Starts a list with all fields except the items. Returns undefined if its kind has no protobuf form. */
  static start(head: JsonObject): ProtobufList | undefined {
    const schema = schemaOf(String(head.apiVersion), String(head.kind))
    // Every Kubernetes list has its metadata first and its items afterwards.
    const last = schema && messageOf(schema).slots.at(-1)
    if (schema === undefined || last?.field?.name !== 'items') return undefined
    const rest = new Writer()
    writeStruct(rest, head, schema)
    return new ProtobufList(head, rest, last.number, last.field)
  }

  /** Returns how many bytes it added. */
  add(item: JsonObject): number {
    writeField(this.#writer, this.#number, [item], this.#field)
    const bytes = this.#writer.take()
    this.#items.push(bytes)
    this.#bytes += bytes.length
    return bytes.length
  }

  finish(): Buffer[] {
    const end = new Writer(16)
    writeEnvelopeEnd(end)
    const start = this.#rest
    start.varint(start.length + this.#bytes)
    start.tag(RAW, BYTES)
    writeEnvelopeStart(start, this.#head)
    return [start.finish(), ...this.#items, end.finish()]
  }
}
