// One HTTP/2 session to the hub, as an agent of Open Cluster Management has: requests and watches share one TLS connection.
import http2 from 'node:http2'

/** For failures after which the session closes: whoever uses it sees that. */
export const IGNORED = () => undefined

/** An answer with a status of 400 or more. */
export class Refused extends Error {
  constructor(status, body) {
    super(`${status}: ${body.slice(0, 300)}`)
    this.status = status
  }
}

export class Session {
  #session
  #headers

  /** `onClose` is called when the connection ends or fails. */
  constructor({ server, ca, cert, key, token }, onClose) {
    this.#session = http2.connect(server, { ca, cert, key })
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#session.on('error', IGNORED)
    if (onClose !== undefined) this.#session.once('close', onClose)
  }

  get(path) {
    return this.#request('GET', path)
  }

  post(path, body) {
    return this.#request('POST', path, body, 'application/json')
  }

  put(path, body) {
    return this.#request('PUT', path, body, 'application/json')
  }

  patch(path, body) {
    return this.#request('PATCH', path, body, 'application/merge-patch+json')
  }

  /** Calls `onEvent` for each event of a watch. Resolves when the server ends it, rejects when it is refused. */
  watch(path, onEvent) {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({ ':method': 'GET', ':path': path, ...this.#headers })
      let status = 0
      let rest = ''
      stream.setEncoding('utf8')
      stream.on('response', (headers) => {
        status = headers[':status']
      })
      stream.on('data', (text) => {
        rest += text
        if (status >= 400) return
        const lines = rest.split('\n')
        rest = lines.pop()
        for (const line of lines) onEvent(JSON.parse(line))
      })
      stream.once('error', reject)
      stream.once('close', () => (status >= 400 ? reject(new Refused(status, rest)) : resolve()))
    })
  }

  close() {
    this.#session.destroy()
  }

  #request(method, path, body, type) {
    return new Promise((resolve, reject) => {
      const headers = { ':method': method, ':path': path, ...this.#headers, ...(type && { 'content-type': type }) }
      const stream = this.#session.request(headers, { endStream: body === undefined })
      let status = 0
      let text = ''
      stream.setEncoding('utf8')
      stream.on('response', (head) => {
        status = head[':status']
      })
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.once('error', reject)
      stream.once('close', () => {
        if (status === 0) reject(new Error(`${method} ${path}: the connection ended`))
        else if (status >= 400) reject(new Refused(status, text))
        else resolve(JSON.parse(text))
      })
      if (body !== undefined) stream.end(JSON.stringify(body))
    })
  }
}
