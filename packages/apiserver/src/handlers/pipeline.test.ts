import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@orrery/kube'
import type { LogLevel } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import { FlowControl } from '../flowcontrol/flow-control.js'
import { LocalExchange } from '../http/in-process.js'
import { SYSTEM_MASTER } from '../identity/identity.js'
import { Catalog } from '../registry/catalog.js'
import { jsonOf } from '../testing/path-client.fixture.js'
import { type Endpoint, Pipeline } from './pipeline.js'
import { RequestMetrics } from './request-metrics.js'

function pipeline(serve: Endpoint['serve'], lines: string[], level: LogLevel = 'info'): Pipeline {
  return new Pipeline({
    authenticator: { authenticate: () => SYSTEM_MASTER, impersonate: (_exchange, identity) => identity },
    authorizer: { authorize: () => ({ allowed: true, reason: '' }) },
    catalog: new Catalog([]),
    endpoints: [{ matches: () => true, serve }],
    serveResource: () => Promise.resolve(),
    auditor: undefined,
    metrics: new RequestMetrics(new MetricRegistry()),
    flowControl: new FlowControl(),
    count: () => 0,
    flushed: () => Promise.resolve(),
    now: () => new Date(0),
    log: createLogger({ level, write: (line) => void lines.push(line) }),
  })
}

test('Pipeline: answers and logs an unexpected error as a 500 with a Status', async () => {
  const lines: string[] = []
  const exchange = new LocalExchange({ method: 'GET', path: '/x' }, undefined)
  await pipeline(() => {
    throw new Error('oh')
  }, lines).handle(exchange)
  const response = await exchange.response
  assert.equal(response.status, 500)
  assert.equal(((await jsonOf(response)) as { kind: string }).kind, 'Status')
  assert.match(lines.join(), /a request failed unexpectedly/)
})

test('Pipeline: closes the connection if a response fails halfway', async () => {
  const exchange = new LocalExchange({ method: 'GET', path: '/x' }, undefined)
  await pipeline((served) => {
    served.stream(200, {}).write(Buffer.from('half'))
    throw new Error('oh')
  }, []).handle(exchange)
  assert.equal((await (await exchange.response).bytes()).toString(), '')
})

test('Pipeline: logs an error that cannot be sent and ends the request', async () => {
  const lines: string[] = []
  const exchange = new LocalExchange({ method: 'GET', path: '/x' }, undefined)
  exchange.reply = () => {
    throw new Error('no reply')
  }
  await pipeline(() => {
    throw new Error('oh')
  }, lines).handle(exchange)
  assert.equal((await exchange.response).status, 500)
  assert.match(lines.join(), /a request could not be answered/)
})

test('Pipeline: logs each request at debug, without its query', async () => {
  const lines: string[] = []
  const serve: Endpoint['serve'] = (exchange) => exchange.reply(200, {}, Buffer.alloc(0))
  const debugging = pipeline(serve, lines, 'debug')
  for (const path of ['/readyz?token=hidden', '/%zz?token=hidden', '/%zz']) {
    await debugging.handle(new LocalExchange({ method: 'GET', path }, undefined))
  }
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    logged.map(({ level, message, method, path, status, user }) => ({ level, message, method, path, status, user })),
    [
      { level: 'debug', message: 'request', method: 'GET', path: '/readyz', status: 200, user: SYSTEM_MASTER.username },
      { level: 'debug', message: 'request', method: 'GET', path: '/%zz', status: 400, user: undefined },
      { level: 'debug', message: 'request', method: 'GET', path: '/%zz', status: 400, user: undefined },
    ],
  )
  assert.ok(logged.every(({ milliseconds }) => typeof milliseconds === 'number'))
  assert.ok(!lines.join().includes('hidden'))
})

test('Pipeline: logs no request at info', async () => {
  const lines: string[] = []
  await pipeline((exchange) => exchange.reply(200, {}, Buffer.alloc(0)), lines).handle(
    new LocalExchange({ method: 'GET', path: '/readyz' }, undefined),
  )
  assert.deepEqual(lines, [])
})
