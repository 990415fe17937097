import { type ClientHttp2Session, connect } from 'node:http2'
import { request } from 'node:https'
import { type Target, tlsAgent } from './client.js'

/** The events of one watch stream. */
export interface StreamEvents {
  line(text: string): void
  /** The stream has ended: `clean` if the server ended it. A status other than 200 counts as an end. */
  end(clean: boolean, status: number): void
}

/** Opens streams on one server. */
export interface Streams {
  open(path: string, events: StreamEvents): { cancel(): void }
  close(): void
}

/** Every stream on its own TLS connection, over HTTP/1.1. */
export function http1Streams(target: Target): Streams {
  const agent = tlsAgent(target)
  return {
    open(path, events) {
      const over = once(events)
      const outgoing = request(new URL(path, target.url), { agent }, (response) => {
        const status = response.statusCode ?? 0
        response.setEncoding('utf8').on('data', splitter(events))
        response.on('error', () => over(false, status))
        response.on('end', () => over(response.complete, status))
      })
      outgoing.on('error', () => over(false, 0))
      outgoing.on('close', () => over(false, 0))
      outgoing.end()
      return { cancel: () => outgoing.destroy() }
    },
    close: () => agent.destroy(),
  }
}

/** All streams share a few TLS connections, over HTTP/2. */
export function http2Streams(target: Target, connections: number): Streams {
  const sessions = Array.from({ length: connections }, () => openSession(target))
  let next = 0
  return {
    open(path, events) {
      const over = once(events)
      const index = next++ % connections
      let session = sessions[index] as ClientHttp2Session
      if (session.closed || session.destroyed) {
        session = openSession(target)
        sessions[index] = session
      }
      const stream = session.request({ ':path': path })
      let status = 0
      let ended = false
      stream.on('response', (headers) => {
        status = headers[':status'] ?? 0
      })
      stream.setEncoding('utf8').on('data', splitter(events))
      stream.on('end', () => {
        ended = true
      })
      stream.on('error', () => over(false, status))
      stream.on('close', () => over(ended && stream.rstCode === 0, status))
      return { cancel: () => stream.close(8) }
    },
    close() {
      for (const session of sessions) session.destroy()
    },
  }
}

function openSession(target: Target): ClientHttp2Session {
  const session = connect(target.url, target.credentials)
  // Streams report their own errors.
  session.on('error', () => session.destroy())
  session.setMaxListeners(0)
  return session
}

function once(events: StreamEvents): StreamEvents['end'] {
  let over = false
  return (clean, status) => {
    if (over) return
    over = true
    events.end(clean, status)
  }
}

function splitter(events: StreamEvents): (text: string) => void {
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) events.line(line)
  }
}
