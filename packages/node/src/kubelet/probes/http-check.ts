import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { HTTPGetAction } from '@orrery/kinds'
import { type CheckResult, FINE } from './check-result.js'

export interface HttpTarget extends Omit<HTTPGetAction, 'host' | 'port'> {
  readonly host: string
  readonly port: number
}

/** Sends an HTTP request without verifying the certificate. Status codes from 200 to 399 are a success. */
export function checkHttp(target: HttpTarget, signal: AbortSignal): Promise<CheckResult> {
  const { host, port, path = '/', scheme = 'HTTP', httpHeaders = [] } = target
  const secure = scheme === 'HTTPS'
  const headers: Record<string, string> = { 'user-agent': 'kube-probe/1.36', accept: '*/*', connection: 'close' }
  for (const { name, value } of httpHeaders) headers[name.toLowerCase()] = value
  return new Promise((resolve) => {
    const url = `${secure ? 'https' : 'http'}://${host}:${port}${path}`
    const fail = (error: Error) =>
      resolve({ ok: false, message: `Get ${JSON.stringify(url)}: ${reasonOf(error, signal)}` })
    try {
      const send = secure ? secureRequest : plainRequest
      const asked = send(
        {
          host,
          port,
          path: path.startsWith('/') ? path : `/${path}`,
          headers,
          signal,
          agent: false,
          rejectUnauthorized: false,
        },
        (response) => {
          const { statusCode = 0 } = response
          response.destroy()
          if (statusCode >= 200 && statusCode < 400) resolve(FINE)
          else resolve({ ok: false, message: `HTTP probe failed with statuscode: ${statusCode}` })
        },
      )
      asked.on('error', fail)
      asked.end()
    } catch (error) {
      // A header or path that Node.js refuses to send.
      fail(error as Error)
    }
  })
}

function reasonOf(error: Error, signal: AbortSignal): string {
  return signal.aborted ? 'context deadline exceeded' : error.message
}
