import type { Http2Server, ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Server } from '@grpc/grpc-js'

/**
 * What a client may send on a connection before the server has read it. HTTP/2 begins with 64 KiB: a client with some
 * calls of 50 KB each would wait for the server most of the time.
 */
const WINDOW_BYTES = 1024 * 1024

/**
 * Lets clients send more at once. If callers have to authenticate, only clients with a verified certificate: what others
 * send has to fit in the first window until their caller is known.
 */
export function widenWindows(server: Server, isOpen: boolean): void {
  // grpc-js has an option for this on the side of clients only.
  const { http2Servers } = server as unknown as { readonly http2Servers: ReadonlyMap<Http2Server, unknown> }
  for (const one of http2Servers.keys()) {
    one.on('session', (session: ServerHttp2Session) => {
      const { authorized } = session.socket as Partial<TLSSocket>
      if (isOpen || authorized === true) session.setLocalWindowSize(WINDOW_BYTES)
    })
  }
}
