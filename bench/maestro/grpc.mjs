// A gRPC client that costs as little as possible: it writes HTTP/2 frames itself and decodes only what it needs.
import { connect } from 'node:net'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 }
const END_STREAM = 1
const END_HEADERS = 4
const ACK = 1
const HEAD = 9
const MAX_FRAME = 16_384
const MAX_WINDOW = 2 ** 31 - 1
const INITIAL_WINDOW = 65_535
const SETTING = { headerTableSize: 1, enablePush: 2, initialWindow: 4 }

/** `grpc-status: 0` with an empty dynamic table, the name as it is and in HPACK's Huffman code. */
const SUCCESS = [
  Buffer.from('\x0bgrpc-status\x010', 'latin1'),
  Buffer.concat([Buffer.from([0x88]), huffman('grpc-status'), Buffer.from('\x010', 'latin1')]),
]

/** The codes of RFC 7541, appendix B, that the name needs. */
function huffman(text) {
  const codes = {
    '-': '010110',
    a: '00011',
    c: '00100',
    g: '100110',
    p: '101011',
    r: '101100',
    s: '01000',
    t: '01001',
    u: '101101',
  }
  const bits = [...text].map((character) => codes[character]).join('')
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  return Buffer.from(padded.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)))
}

/** Literal fields without indexing: the same bytes for each request. */
function headerBlock(path, authority) {
  const fields = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': authority,
    te: 'trailers',
    'content-type': 'application/grpc',
  }
  const literal = (text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
  return Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  )
}

function frame(type, flags, stream, payload) {
  const bytes = Buffer.allocUnsafe(HEAD + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(stream, 5)
  payload.copy(bytes, HEAD)
  return bytes
}

function number(value) {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function settings(values) {
  const bytes = Buffer.alloc(values.length * 6)
  for (const [index, [name, value]] of values.entries()) {
    bytes.writeUInt16BE(name, index * 6)
    bytes.writeUInt32BE(value, index * 6 + 2)
  }
  return frame(FRAME.settings, 0, 0, bytes)
}

/** One connection. `publish` resolves when the server has acknowledged, `subscribe` when it has sent its headers. */
export class GrpcConnection {
  #socket
  #pending = Buffer.alloc(0)
  #streams = new Map()
  #nextStream = 1
  #window = INITIAL_WINDOW
  #streamWindow = INITIAL_WINDOW
  #received = 0
  /** Streams with bytes that the windows did not let through. */
  #waiting = []
  #publishHeaders
  #subscribeHeaders
  closed

  constructor(socket, authority) {
    this.#socket = socket
    const path = '/io.cloudevents.v1.CloudEventService'
    this.#publishHeaders = headerBlock(`${path}/Publish`, authority)
    this.#subscribeHeaders = headerBlock(`${path}/Subscribe`, authority)
    const wanted = [
      [SETTING.headerTableSize, 0],
      [SETTING.enablePush, 0],
      [SETTING.initialWindow, MAX_WINDOW],
    ]
    socket.write(
      Buffer.concat([
        Buffer.from(PREFACE),
        settings(wanted),
        frame(FRAME.windowUpdate, 0, 0, number(MAX_WINDOW - INITIAL_WINDOW)),
      ]),
    )
    socket.on('data', (chunk) => this.#read(chunk))
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const stream of this.#streams.values()) stream.fail(new Error('the connection closed'))
        this.#streams.clear()
        resolve()
      })
    })
    socket.on('error', () => socket.destroy())
  }

  static open(address) {
    const [host, port] = address.split(':')
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port: Number(port) }, () => {
        socket.off('error', reject)
        socket.setNoDelay(true)
        resolve(new GrpcConnection(socket, address))
      })
      socket.once('error', reject)
    })
  }

  /** Sends one event, as the bytes of a PublishRequest. */
  publish(message) {
    return new Promise((resolve, reject) => {
      this.#request(this.#publishHeaders, message, { done: resolve, fail: reject })
    })
  }

  /** `onMessage` gets the bytes of each CloudEvent. */
  subscribe(message, onMessage) {
    return new Promise((resolve, reject) => {
      this.#request(this.#subscribeHeaders, message, {
        started: resolve,
        done: resolve,
        fail: reject,
        onMessage,
        bytes: Buffer.alloc(0),
      })
    })
  }

  close() {
    this.#socket.destroy()
  }

  #request(headers, message, stream) {
    const id = this.#nextStream
    this.#nextStream += 2
    const body = Buffer.allocUnsafe(5 + message.length)
    body[0] = 0
    body.writeUInt32BE(message.length, 1)
    message.copy(body, 5)
    Object.assign(stream, { id, body, window: this.#streamWindow })
    this.#streams.set(id, stream)
    this.#socket.cork()
    this.#socket.write(frame(FRAME.headers, END_HEADERS, id, headers))
    if (!this.#send(stream)) this.#waiting.push(stream)
    process.nextTick(() => this.#socket.uncork())
  }

  /** Sends what the windows let through. Returns whether all is sent. */
  #send(stream) {
    while (stream.body.length > 0) {
      const length = Math.min(stream.body.length, MAX_FRAME, this.#window, stream.window)
      if (length <= 0) return false
      const isLast = length === stream.body.length
      this.#socket.write(frame(FRAME.data, isLast ? END_STREAM : 0, stream.id, stream.body.subarray(0, length)))
      stream.body = stream.body.subarray(length)
      stream.window -= length
      this.#window -= length
    }
    return true
  }

  #read(chunk) {
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    while (bytes.length >= HEAD) {
      const length = bytes.readUIntBE(0, 3)
      if (bytes.length < HEAD + length) break
      this.#receive(bytes[3], bytes[4], bytes.readUInt32BE(5) & MAX_WINDOW, bytes.subarray(HEAD, HEAD + length))
      bytes = bytes.subarray(HEAD + length)
    }
    this.#pending = bytes
  }

  #receive(type, flags, id, payload) {
    const stream = this.#streams.get(id)
    if (type === FRAME.data) this.#receiveData(stream, payload)
    else if (type === FRAME.headers) {
      if ((flags & END_STREAM) !== 0) this.#end(stream, payload)
      else stream?.started?.()
    } else if (type === FRAME.reset) {
      this.#streams.delete(id)
      stream?.fail(new Error(`the stream was reset with code ${payload.readUInt32BE(0)}`))
    } else if (type === FRAME.settings && (flags & ACK) === 0) this.#apply(payload)
    else if (type === FRAME.ping && (flags & ACK) === 0) this.#socket.write(frame(FRAME.ping, ACK, 0, payload))
    else if (type === FRAME.windowUpdate) this.#widen(stream, id, payload.readUInt32BE(0) & MAX_WINDOW)
    else if (type === FRAME.goAway) this.#socket.end()
  }

  #apply(payload) {
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== SETTING.initialWindow) continue
      const size = payload.readUInt32BE(at + 2)
      for (const stream of this.#streams.values()) stream.window += size - this.#streamWindow
      this.#streamWindow = size
    }
    this.#socket.write(frame(FRAME.settings, ACK, 0, Buffer.alloc(0)))
    this.#flush()
  }

  #widen(stream, id, by) {
    if (id === 0) this.#window += by
    else if (stream !== undefined) stream.window += by
    this.#flush()
  }

  #flush() {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((stream) => !this.#send(stream))
  }

  #receiveData(stream, payload) {
    this.#received += payload.length
    if (this.#received > MAX_WINDOW / 2) {
      this.#socket.write(frame(FRAME.windowUpdate, 0, 0, number(this.#received)))
      this.#received = 0
    }
    if (stream?.onMessage === undefined) return
    let bytes = stream.bytes.length === 0 ? payload : Buffer.concat([stream.bytes, payload])
    while (bytes.length >= 5) {
      const end = 5 + bytes.readUInt32BE(1)
      if (bytes.length < end) break
      stream.onMessage(bytes.subarray(5, end))
      bytes = bytes.subarray(end)
    }
    stream.bytes = Buffer.from(bytes)
  }

  #end(stream, block) {
    if (stream === undefined) return
    this.#streams.delete(stream.id)
    if (SUCCESS.some((bytes) => block.includes(bytes))) stream.done()
    else stream.fail(new Error(`the server refused: ${block.latin1Slice()}`))
  }
}
