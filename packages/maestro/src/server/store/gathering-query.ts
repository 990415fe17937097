import type { Writable } from 'node:stream'
import pg from 'pg'
import type { Statement } from './database.js'
import { JsonArray } from './parameters.js'
import { Parts } from './parts.js'

/** What node-postgres sends the values of a statement with. */
interface Bind {
  readonly portal?: string
  readonly statement?: string
  readonly values: readonly unknown[]
  readonly valueMapper: (value: unknown) => string | Buffer | null
}

interface Connection {
  readonly stream: Writable
  bind(bind: Bind): void
}

const [TEXT, BINARY] = [0, 1]
const BIND = Buffer.from('B')
const END = Buffer.alloc(1)
const NULL = -1

/**
 * A query that hands the parts of its arrays to the socket as they are. node-postgres would copy all values into one
 * buffer, which for large bundles costs more than sending them.
 */
export function gatheringQuery({ name, text, values = [] }: Statement): pg.Query {
  const query = new pg.Query({ ...(name !== undefined && { name }), text, values: [...values] })
  const submit = query.submit.bind(query) as unknown as (connection: Connection) => void
  const gathering = (connection: Connection): Connection =>
    Object.create(connection, { bind: { value: (bind: Bind) => sendBind(connection.stream, bind) } })
  query.submit = ((connection: Connection) => submit(gathering(connection))) as unknown as pg.Query['submit']
  return query
}

/** The message "Bind" of PostgreSQL's protocol. All results are wanted as text. */
function sendBind(stream: Writable, { portal = '', statement = '', values, valueMapper }: Bind): void {
  const encoded = values.map((value) => (value instanceof JsonArray ? value : bytesOf(valueMapper(value))))
  const body = new Parts()
  for (const text of [portal, statement]) {
    body.add(Buffer.from(text))
    body.add(END)
  }
  body.addInt16(encoded.length)
  encoded.forEach((value, index) => {
    body.addInt16(value instanceof JsonArray || Buffer.isBuffer(values[index]) ? BINARY : TEXT)
  })
  body.addInt16(encoded.length)
  for (const value of encoded) {
    body.addInt32(value?.length ?? NULL)
    if (value instanceof JsonArray) for (const part of value.parts) body.add(part)
    else if (value !== undefined) body.add(value)
  }
  body.addInt16(1)
  body.addInt16(TEXT)
  const head = new Parts()
  head.add(BIND)
  // The length includes itself.
  head.addInt32(4 + body.length)
  for (const part of [...head.end(), ...body.end()]) stream.write(part)
}

function bytesOf(value: string | Buffer | null): Buffer | undefined {
  if (value === null) return undefined
  return typeof value === 'string' ? Buffer.from(value) : value
}
