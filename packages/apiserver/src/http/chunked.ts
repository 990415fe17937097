import type { Writable } from 'node:stream'

const CRLF = Buffer.from('\r\n')

/** The end of a chunked body. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Copying a larger chunk costs more than a further write. */
const COPIED_BYTES = 16 * 1024

/** Writes a chunk of a chunked body. Returns false if the socket is full. */
export function writeChunk(socket: Writable, chunk: Buffer): boolean {
  if (chunk.length <= COPIED_BYTES) return socket.write(chunkFrame(chunk))
  socket.cork()
  socket.write(chunkHead(chunk))
  socket.write(chunk)
  const takesMore = socket.write(CRLF)
  socket.uncork()
  return takesMore
}

let framedSource: Buffer | undefined
let framed: Buffer | undefined

/** One watch event is sent to many clients as the same buffer, so it is framed once. */
function chunkFrame(chunk: Buffer): Buffer {
  if (chunk === framedSource && framed !== undefined) return framed
  framed = Buffer.concat([chunkHead(chunk), chunk, CRLF])
  framedSource = chunk
  return framed
}

function chunkHead(chunk: Buffer): Buffer {
  return Buffer.from(`${chunk.length.toString(16)}\r\n`)
}
