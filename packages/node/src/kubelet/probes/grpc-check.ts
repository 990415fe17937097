import { connect } from 'node:http2'
import { type CheckResult, FINE } from './check-result.js'

const SERVING = 1
/** What a health answer needs, many times over. */
const MAX_ANSWER = 4_096

/** Asks a gRPC server for its health, as `grpc.health.v1` has it. */
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
      if (answer.length > MAX_ANSWER) fail('the answer is too large')
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

/** A message of one field, the name of the service, behind five bytes that say how long it is. */
function requestFrame(service: string): Buffer {
  const name = Buffer.from(service)
  const field = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a]), lengthOf(name.length), name])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(field.length, 1)
  return Buffer.concat([head, field])
}

/** A length as protocol buffers write it: seven bits a byte, the lowest first. */
function lengthOf(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

/** The one field of the answer; a server leaves it out when it is 0, unknown. */
function servingStatus(answer: Buffer): number | undefined {
  if (answer.length < 5) return undefined
  return answer[5] === 0x08 ? answer[6] : 0
}
