import { type Projection, projected } from './fields.js'
import { type Members, objectText } from './json-text.js'

export interface ListEnvelope {
  readonly kind: string
  readonly page: number
  readonly total: number
  readonly fields: Projection | undefined
}

/**
 * The text of a list, a part for each part of its items. The number of items follows them: bundles that are deleted
 * while a list is sent are not in it, and Go clients accept members in any order.
 */
export async function* listText(
  { kind, page, total, fields }: ListEnvelope,
  parts: AsyncIterable<readonly Members[]>,
): AsyncGenerator<Buffer> {
  let size = 0
  let before = Buffer.from(`{"kind":${JSON.stringify(kind)},"page":${page},"total":${total},"items":[`)
  for await (const items of parts) {
    const pieces: Buffer[] = []
    for (const members of items) {
      pieces.push(before, objectText(fields === undefined ? members : projected(members, fields)))
      before = COMMA
    }
    size += items.length
    yield Buffer.concat(pieces)
  }
  const start = size === 0 ? before : EMPTY
  yield Buffer.concat([start, Buffer.from(`],"size":${size}}`)])
}

const COMMA = Buffer.from(',')
const EMPTY = Buffer.alloc(0)
