import { connect } from 'node:tls'

const HEADER_END = Buffer.from('\r\n\r\n')
const LENGTH = /\r\ncontent-length: *(\d+)/i

/** Connects to `{host, port, ca, cert, key}` over TLS with the client's certificate. */
export function connectTls(target) {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...target, ALPNProtocols: ['http/1.1'] }, () => {
      socket.off('error', reject)
      socket.setNoDelay(true)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

/**
 * One keep-alive HTTP/1.1 connection that sends a request, waits for the whole response and calls back. It reads only
 * the status and length of a response, so that the load generator costs as little as possible.
 */
export class Connection {
  #socket
  #pending = Buffer.alloc(0)
  /** Bytes of the current response still to come; undefined until its header has arrived. */
  #missing
  #status = 0
  #done

  constructor(socket) {
    this.#socket = socket
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('end', () => {
      throw new Error('the server closed a connection')
    })
  }

  /** Sends a whole request. `done` gets the status when the response is complete. */
  send(request, done) {
    this.#done = done
    this.#socket.write(request)
  }

  /** Like `send`, as a promise. */
  exchange(request) {
    return new Promise((resolve) => this.send(request, resolve))
  }

  close() {
    this.#socket.destroy()
  }

  #read(chunk) {
    if (this.#missing === undefined) {
      const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
      const end = bytes.indexOf(HEADER_END)
      if (end < 0) {
        this.#pending = bytes
        return
      }
      this.#pending = bytes.subarray(0, 0)
      const header = bytes.latin1Slice(0, end)
      this.#status = Number(header.slice(9, 12))
      this.#missing = Number(LENGTH.exec(header)?.[1] ?? 0) - (bytes.length - end - HEADER_END.length)
    } else this.#missing -= chunk.length
    if (this.#missing > 0) return
    this.#missing = undefined
    this.#done(this.#status)
  }
}

/** The bytes of a request. */
export function requestBytes(method, path, body = '') {
  const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1\r\nAccept: application/json\r\n${length}\r\n${body}`
}
