// A keep-alive HTTP/1.1 connection that reads only the status and the end of a response.
import { connect } from 'node:net'

const HEADER_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const LENGTH = /\r\ncontent-length: *(\d+)/i

export class RestConnection {
  #socket
  #host
  #done
  #head = Buffer.alloc(0)
  /** Bytes of the response still to come; undefined if it is chunked. */
  #missing
  #inBody = false
  #received = 0
  #tail = Buffer.alloc(0)

  constructor(socket, host) {
    this.#socket = socket
    this.#host = host
    socket.on('data', (chunk) => this.#read(chunk))
  }

  static open(url) {
    const { hostname, port, host } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.off('error', reject)
        socket.setNoDelay(true)
        resolve(new RestConnection(socket, host))
      })
      socket.once('error', reject)
    })
  }

  /** Resolves with the number of bytes of the response. */
  get(path) {
    return new Promise((resolve, reject) => {
      this.#done = (status) => (status === 200 ? resolve(this.#received) : reject(new Error(`GET ${path}: ${status}`)))
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nAccept: application/json\r\n\r\n`)
    })
  }

  close() {
    this.#socket.destroy()
  }

  #read(chunk) {
    if (this.#inBody) return this.#readBody(chunk)
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf(HEADER_END)
    if (end < 0) return
    const header = this.#head.latin1Slice(0, end)
    const length = LENGTH.exec(header)?.[1]
    const body = this.#head.subarray(end + HEADER_END.length)
    this.status = Number(header.slice(9, 12))
    this.#missing = length === undefined ? undefined : Number(length)
    this.#inBody = true
    this.#received = 0
    this.#tail = Buffer.alloc(0)
    this.#readBody(body)
  }

  #readBody(chunk) {
    this.#received += chunk.length
    if (this.#missing === undefined) {
      const last = chunk.subarray(-LAST_CHUNK.length)
      this.#tail =
        last.length < LAST_CHUNK.length ? Buffer.concat([this.#tail, last]).subarray(-LAST_CHUNK.length) : last
      if (!this.#tail.equals(LAST_CHUNK)) return
    } else if (this.#received < this.#missing) return
    this.#inBody = false
    this.#head = Buffer.alloc(0)
    this.#done(this.status)
  }
}
