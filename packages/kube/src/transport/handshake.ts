import type { Socket } from 'node:net'
import { abortError } from './connection-error.js'

/**
 * Reads the response of a proxy, up to where the connection belongs to the server. `take` gets all bytes so far and
 * returns how many of them are the proxy's response, or undefined if more are needed.
 */
export function readAnswer(
  socket: Socket,
  signal: AbortSignal,
  take: (bytes: Buffer) => number | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    const finish = (settle: () => void) => {
      socket.off('data', received)
      socket.off('error', failed)
      socket.off('close', closed)
      signal.removeEventListener('abort', aborted)
      socket.pause()
      settle()
    }
    const failed = (error: Error) => {
      finish(() => reject(error))
      socket.on('error', () => undefined)
      socket.destroy()
    }
    const closed = () => failed(new Error('the proxy closed the connection'))
    const aborted = () => failed(abortError(signal))
    const received = (more: Buffer) => {
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more])
      try {
        const end = take(bytes)
        if (end === undefined) return
        if (end < bytes.length) socket.unshift(bytes.subarray(end))
        finish(() => resolve(bytes.subarray(0, end)))
      } catch (error) {
        failed(error as Error)
      }
    }
    socket.on('data', received)
    socket.once('error', failed)
    socket.once('close', closed)
    signal.addEventListener('abort', aborted)
    socket.resume()
    if (signal.aborted) aborted()
    else if (socket.destroyed) closed()
  })
}
