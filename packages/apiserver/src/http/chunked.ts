const CRLF = Buffer.from('\r\n')

/** The end of a chunked body. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n')

let framedSource: Buffer | undefined
let framed: Buffer | undefined

/**
 * Frames a chunk of a chunked body. One watch event is sent to many clients as the same buffer, so it is framed once.
 */
export function chunkFrame(chunk: Buffer): Buffer {
  if (chunk === framedSource && framed !== undefined) return framed
  framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, CRLF])
  framedSource = chunk
  return framed
}
