import type { KubeObject } from '@orrery/kinds'
import { notAcceptable } from '@orrery/kinds/values'
import type { ListParts } from '../printers/render.js'
import { ProtobufList } from '../protobuf/index.js'
import { CONTENT_TYPE, type ResponseForm } from '../request/accept.js'
import { formatYaml } from '../yaml/write.js'
import type { Rendered } from './forms.js'

/** Encodes a list item by item, so that other work runs in between. */
export interface ListWriter {
  /** Returns about how many bytes it added. */
  add(object: KubeObject): number
  /** Returns the body after all items were added. */
  finish(): Rendered
}

/** Throws a 406 if the list has no such form. */
export function listWriter(parts: ListParts, form: ResponseForm, pretty: boolean): ListWriter {
  switch (form.serialization) {
    case 'json':
      return pretty ? prettyWriter(parts) : jsonWriter(parts)
    case 'yaml':
      return yamlWriter(parts)
    case 'protobuf':
      return protobufWriter(parts)
  }
}

/** Short rows are joined up to this length before they are encoded. */
const PIECE_LENGTH = 32 * 1024

class Text {
  readonly chunks: Buffer[] = []
  #pending = ''

  add(text: string): number {
    this.#pending += text
    if (this.#pending.length >= PIECE_LENGTH) this.finish()
    return text.length
  }

  finish(): Buffer[] {
    if (this.#pending !== '') this.chunks.push(Buffer.from(this.#pending))
    this.#pending = ''
    return this.chunks
  }
}

function jsonWriter({ head, member, itemText }: ListParts): ListWriter {
  const text = new Text()
  text.add(`${JSON.stringify(head).slice(0, -1)},"${member}":[`)
  let separator = ''
  return {
    add(object) {
      const row = separator + itemText(object)
      separator = ','
      return text.add(row)
    },
    finish() {
      text.add(']}')
      return { contentType: CONTENT_TYPE.json, chunks: text.finish() }
    },
  }
}

function prettyWriter({ head, member, item }: ListParts): ListWriter {
  const text = new Text()
  const whole = JSON.stringify({ ...head, [member]: [] }, undefined, 2)
  text.add(whole.slice(0, -']\n}'.length))
  let separator = ''
  return {
    add(object) {
      const indented = JSON.stringify(item(object), undefined, 2).replaceAll('\n', '\n    ')
      const row = `${separator}\n    ${indented}`
      separator = ','
      return text.add(row)
    },
    finish() {
      text.add(separator === '' ? ']\n}' : '\n  ]\n}')
      return { contentType: CONTENT_TYPE.json, chunks: text.finish() }
    },
  }
}

/** Keys are sorted, so there are members before and after the items. Only those of the list itself are not indented. */
function yamlWriter({ head, member, item }: ListParts): ListWriter {
  const text = new Text()
  const whole = formatYaml({ ...head, [member]: [] })
  const start = whole.indexOf(`\n${member}: []\n`) + `\n${member}:`.length
  text.add(whole.slice(0, start))
  let isEmpty = true
  return {
    add(object) {
      if (isEmpty) text.add('\n')
      isEmpty = false
      return text.add(formatYaml([item(object)]))
    },
    finish() {
      const rest = whole.slice(start + ' []\n'.length)
      text.add(isEmpty ? ` []\n${rest}` : rest)
      return { contentType: CONTENT_TYPE.yaml, chunks: text.finish() }
    },
  }
}

function protobufWriter({ head, item }: ListParts): ListWriter {
  const list = ProtobufList.start(head)
  if (list === undefined) throw notAcceptable(Object.values(CONTENT_TYPE))
  return {
    add: (object) => list.add(item(object)),
    finish: () => ({ contentType: CONTENT_TYPE.protobuf, chunks: list.finish() }),
  }
}
