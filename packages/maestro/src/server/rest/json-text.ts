/** Named values of a JSON object as text, in the order in which they are sent. */
export type Members = readonly (readonly [name: string, text: Buffer])[]

/** The text of a value that is not stored as JSON. */
export function jsonText(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Joins members to the text of an object, without parsing them. */
export function objectText(members: Members): Buffer {
  const pieces: Buffer[] = []
  members.forEach(([name, text], index) => {
    pieces.push(Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`), text)
  })
  pieces.push(members.length === 0 ? EMPTY_OBJECT : END)
  return Buffer.concat(pieces)
}

const END = Buffer.from('}')
const EMPTY_OBJECT = Buffer.from('{}')
