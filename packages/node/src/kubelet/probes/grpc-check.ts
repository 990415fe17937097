import { connect } from 'node:http2'
import { type CheckResult, FINE } from './check-result.js'

const SERVING = 1
/** Far more than a health response needs. */
const MAX_ANSWER = 4_096

/** Requests the health of a service with `grpc.health.v1`. */
export function checkGrpc(host: string, port: number, service: string, signal: AbortSignal): Promise<CheckResult> {
  return new Promise((resolve) => {
    const session = connect(`http://${host}:${port}`)
    const end = (result: CheckResult) => {
      signal.removeEventListener('abort', giveUp)
      session.destroy()
      resolve(result)
    }
    const fail = (why: string) => end({ ok: false, message: `error: health rpc probe failed: ${why}` })
    const giveUp = () => fail('timeout')
    signal.addEventListener('abort', giveUp, { once: true })
    session.once('error', (error) => fail(error.message))
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'kube-probe/1.36',
    })
    let answer = Buffer.alloc(0)
    stream.on('data', (piece: Buffer) => {
      answer = Buffer.concat([answer, piece])
      if (answer.length > MAX_ANSWER) fail('the response is too large')
    })
    stream.once('error', (error) => fail(error.message))
    stream.once('end', () => {
      const status = servingStatus(answer)
      if (status === SERVING) end(FINE)
      else fail(status === undefined ? 'no answer' : `service unhealthy (responded with status ${status})`)
    })
    stream.end(requestFrame(service))
  })
}

/** Encodes the request: the gRPC frame header of five bytes, then a message with the service name as its only field. */
function requestFrame(service: string): Buffer {
  const name = Buffer.from(service)
  const field = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a]), lengthOf(name.length), name])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(field.length, 1)
  return Buffer.concat([head, field])
}

/** Encodes a length as a protobuf varint. */
function lengthOf(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

/** Decodes the only field of the response. A server omits it if it is 0 (UNKNOWN). */
function servingStatus(answer: Buffer): number | undefined {
  if (answer.length < 5) return undefined
  return answer[5] === 0x08 ? answer[6] : 0
}
