import type { Writable } from 'node:stream'

/**
 * The most that is encrypted at a time for one response. TLS keeps a buffer of the size of its largest write until the
 * connection closes, and that buffer is full while the client does not read.
 */
export const PIECE_BYTES = 64 * 1024

type Done = (error?: Error | null) => void

/** One write of a stream, as `Writable._writev` gets it. */
interface Write {
  chunk: Buffer | string
  encoding: BufferEncoding
}

/**
 * Makes a socket or HTTP/2 stream write in pieces, each after the client has taken the previous one. Otherwise each
 * client that does not read has the encrypted copy of a whole event or body in memory. What waits in this way are the
 * original bytes, which all watchers of an event share. The order of writes, `drain` and `destroy` stay
 * as they are.
 *
 * An HTTP/2 session that is stuck keeps the piece on its way even after the stream was destroyed. Its pieces are copies,
 * because a slice would keep all bytes in memory.
 */
export function writeInPieces(stream: Writable, { copies }: { readonly copies: boolean }): void {
  const writeOne = stream._write.bind(stream)
  const writeMany = stream._writev?.bind(stream)
  let pieces: Iterator<Write[]> | undefined
  let done: Done = () => undefined

  const next: Done = (error) => {
    const piece = error ? undefined : pieces?.next().value
    if (piece === undefined) {
      pieces = undefined
      done(error)
    } else write(piece)
  }
  const write = (piece: Write[]): void => {
    const [first] = piece as [Write]
    if (piece.length > 1 && writeMany !== undefined) writeMany(piece, next)
    else writeOne(first.chunk, first.encoding, next)
  }
  const writePieces = (writes: readonly Write[], whenDone: Done): void => {
    pieces = piecesOf(writes, copies)
    done = whenDone
    next()
  }

  stream._write = (chunk: Buffer | string, encoding, whenDone) => {
    if (chunk.length <= PIECE_BYTES) writeOne(chunk, encoding, whenDone)
    else writePieces([{ chunk, encoding }], whenDone)
  }
  // The stream passes on together what was written while it was corked or busy.
  stream._writev = (writes: Write[], whenDone) => {
    const size = writes.reduce((sum, { chunk }) => sum + chunk.length, 0)
    if (size <= PIECE_BYTES && writeMany !== undefined) writeMany(writes, whenDone)
    else writePieces(writes, whenDone)
  }
  // The piece on its way refers to the rest.
  stream.once('close', () => {
    pieces = undefined
  })
}

/** Joins and divides writes, so that each piece has the same size except the last. */
function* piecesOf(writes: readonly Write[], copies: boolean): Generator<Write[], undefined> {
  let piece: Write[] = []
  let room = PIECE_BYTES
  for (const { chunk, encoding } of writes) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
    for (let start = 0; start < bytes.length; ) {
      const part = bytes.subarray(start, start + room)
      piece.push({ chunk: copies ? Buffer.from(part) : part, encoding: 'buffer' as BufferEncoding })
      start += part.length
      room -= part.length
      if (room > 0) continue
      yield piece
      piece = []
      room = PIECE_BYTES
    }
  }
  if (piece.length > 0) yield piece
}
