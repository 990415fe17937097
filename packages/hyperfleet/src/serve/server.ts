import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { AdapterError } from '../adapter-error.js'
import { type AdapterEvent, parseEvent } from '../run/event.js'
import { execute, type RunContext } from '../run/execute.js'
import type { ExecutionResult } from '../run/execution.js'
import { KeyedQueue, QueueFull } from './event-queue.js'
import { AdapterMetrics } from './metrics.js'

const MAX_EVENT_BYTES = 1024 * 1024
const MAX_EVENTS = 1_000

export interface AdapterServerOptions extends Omit<RunContext, 'signal'> {
  /** Everyone who can connect can send events. Default 127.0.0.1. */
  readonly host?: string
  /** Events at `POST /events`, and `/healthz` and `/readyz`. Default 8080. 0 picks a free port. */
  readonly port?: number
  /** `/metrics`. Default 9090. 0 picks a free port. */
  readonly metricsPort?: number
  /** Events that are handled or wait. Others are refused with 503, and the sender sends them again. Default 1,000. */
  readonly maxEvents?: number
  readonly clock?: Clock
}

export interface AdapterServer {
  readonly port: number
  readonly metricsPort: number
  /** Stops taking events, finishes those in progress, and closes both ports. */
  close(): Promise<void>
}

/** Takes CloudEvents over HTTP. Events of one resource are handled one after another. */
export async function startAdapterServer(options: AdapterServerOptions): Promise<AdapterServer> {
  const { adapter, log, clock = systemClock, host = '127.0.0.1', port = 8080, metricsPort = 9090 } = options
  const metrics = new AdapterMetrics(adapter.config.adapter, clock)
  const queue = new KeyedQueue(options.maxEvents ?? MAX_EVENTS)
  const stopping = new AbortController()
  let isClosing = false

  async function handle(event: AdapterEvent): Promise<ExecutionResult> {
    const started = clock.elapsed()
    const result = await execute(event, { ...options, signal: stopping.signal })
    metrics.observe(String(event.data.id ?? ''), result, (clock.elapsed() - started) / 1_000)
    log.info('handled an event', {
      id: event.id,
      type: event.type,
      status: result.status,
      skipReason: result.skipReason,
    })
    return result
  }

  async function serveEvent(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isClosing) return send(response, 503, { message: 'the adapter is stopping' })
    try {
      const event = await readEvent(request)
      const { status, skipReason, errors } = await queue.run(String(event.data.id ?? ''), () => handle(event))
      // Also a failed event is taken: HyperFleet sends another one until the resource is reconciled.
      send(response, 200, { status, skipReason, errors })
    } catch (error) {
      if (error instanceof QueueFull) {
        log.warn('refused an event: too many wait', { error: error.message })
        return send(response, 503, { message: 'too many events wait: send it again later' }, { 'retry-after': '1' })
      }
      if (!(error instanceof AdapterError)) throw error
      metrics.observeInvalid()
      log.warn('rejected an event', { error: error.message })
      send(response, error.httpStatus, { code: error.code, message: error.message })
    }
  }

  const events = await open(host, port, async (request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/healthz') return send(response, 200, { status: 'ok' })
    if (path === '/readyz') return send(response, isClosing ? 503 : 200, { status: isClosing ? 'stopping' : 'ok' })
    if (path !== '/events') return send(response, 404, { message: `no such path: ${path}: send events to /events` })
    if (request.method !== 'POST') return send(response, 405, { message: 'send events with POST' })
    return serveEvent(request, response)
  })
  const measured = await open(host, metricsPort, async (request, response) => {
    if (request.url !== '/metrics') return send(response, 404, { message: 'see /metrics' })
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    response.end(metrics.registry.render())
  })
  return {
    port: (events.address() as AddressInfo).port,
    metricsPort: (measured.address() as AddressInfo).port,
    async close() {
      isClosing = true
      await queue.whenIdle()
      stopping.abort()
      await Promise.all([events, measured].map(closed))
    },
  }
}

async function open(
  host: string,
  port: number,
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server> {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy(error)
      else send(response, 500, { message: error.message })
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeIdleConnections()
  await once(server, 'close')
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(`${JSON.stringify(body)}\n`)
}

/** An event in structured mode, or in binary mode with its attributes in headers. */
async function readEvent(request: IncomingMessage): Promise<AdapterEvent> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_EVENT_BYTES)
      throw new AdapterError('BadRequest', `the event has more than ${MAX_EVENT_BYTES} bytes`)
    parts.push(part)
  }
  const text = Buffer.concat(parts).toString('utf8')
  const attribute = (name: string) => request.headers[`ce-${name}`]
  if (attribute('specversion') === undefined) return parseEvent(text)
  const attributes = Object.fromEntries(['specversion', 'id', 'type', 'source'].map((name) => [name, attribute(name)]))
  return parseEvent(JSON.stringify({ ...attributes, data_base64: Buffer.from(text).toString('base64') }))
}
