import type { Exchange } from '../http/exchange.js'
import type { WebSocketStream } from '../http/websocket.js'
import { JSON_TYPE } from '../request/accept.js'
import type { WatchSink } from '../watch/types.js'
import { eventLines } from './event-lines.js'

/** A watch client sends nothing: its messages are read and discarded. */
const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Starts the response of a watch: a stream of frames, or one message for each event if the client requests a WebSocket.
 */
export function startWatchStream(exchange: Exchange, contentType: string): WatchSink {
  const webSocket = exchange.webSocket({ protocols: 'any', maxMessageBytes: MAX_MESSAGE_BYTES })
  if (webSocket !== undefined) return contentType === JSON_TYPE ? textSink(webSocket) : binarySink(webSocket)
  return exchange.stream(200, { 'Cache-Control': 'no-cache, private', 'Content-Type': contentType })
}

function textSink(webSocket: WebSocketStream): WatchSink {
  return new WebSocketSink(webSocket, (chunk) => {
    let takesMore = true
    for (const line of eventLines(chunk)) takesMore = webSocket.send(line, 'text')
    return takesMore
  })
}

/** Messages have their own boundaries, so the length prefix of each frame is omitted. */
function binarySink(webSocket: WebSocketStream): WatchSink {
  return new WebSocketSink(webSocket, (chunk) => {
    let takesMore = true
    for (let start = 0; start < chunk.length; ) {
      const end = start + LENGTH_BYTES + chunk.readUInt32BE(start)
      takesMore = webSocket.send(chunk.subarray(start + LENGTH_BYTES, end), 'binary')
      start = end
    }
    return takesMore
  })
}

const LENGTH_BYTES = 4

class WebSocketSink implements WatchSink {
  readonly #webSocket: WebSocketStream
  readonly write: (chunk: Buffer) => boolean

  constructor(webSocket: WebSocketStream, write: (chunk: Buffer) => boolean) {
    this.#webSocket = webSocket
    this.write = write
  }

  onDrain(callback: () => void): void {
    this.#webSocket.onDrain(callback)
  }

  onClose(callback: () => void): void {
    this.#webSocket.onClose(callback)
  }

  end(): void {
    this.#webSocket.close()
  }

  destroy(): void {
    this.#webSocket.destroy()
  }
}
