import { connect } from 'node:net'
import { type CheckResult, FINE } from './check-result.js'

/** Opens and closes a TCP connection. */
export function checkTcp(host: string, port: number, signal: AbortSignal): Promise<CheckResult> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (result: CheckResult) => {
      signal.removeEventListener('abort', giveUp)
      socket.destroy()
      resolve(result)
    }
    const giveUp = () => end({ ok: false, message: `dial tcp ${host}:${port}: i/o timeout` })
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('connect', () => end(FINE))
    socket.once('error', (error) => end({ ok: false, message: `dial tcp ${host}:${port}: ${error.message}` }))
  })
}
