import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalExchange } from '../http/in-process.js'
import { parseTarget } from '../request/target.js'
import { healthEndpoint } from './health.js'

const ping = { name: 'ping', problem: () => undefined }
const hook = { name: 'poststarthook/start-controllers', problem: () => 'the server is starting' }
const endpoint = healthEndpoint({ livez: [ping], healthz: [ping], readyz: [ping, hook] })

async function ask(path: string): Promise<{ status: number; text: string }> {
  const target = parseTarget('GET', path)
  assert.ok(endpoint.matches(target))
  const exchange = new LocalExchange({ method: 'GET', path }, undefined)
  await endpoint.serve(exchange, target, { username: '', uid: '', groups: [], extra: {} })
  const response = await exchange.response
  return { status: response.status, text: (await response.bytes()).toString() }
}

test('healthEndpoint: is healthy if all checks are', async () => {
  assert.deepEqual(await ask('/livez'), { status: 200, text: 'ok' })
  assert.deepEqual(await ask('/livez?verbose'), { status: 200, text: '[+]ping ok\nlivez check passed\n' })
  const { status, text } = await ask('/readyz')
  assert.equal(status, 500)
  assert.match(text, /\[-\]poststarthook\/start-controllers failed: the server is starting\nreadyz check failed\n$/)
})

test('healthEndpoint: serves each check at its own path, slashes included', async () => {
  assert.equal((await ask('/readyz/ping')).status, 200)
  assert.equal((await ask('/readyz/poststarthook/start-controllers')).status, 500)
  assert.equal((await ask('/readyz/other')).status, 404)
})

test('healthEndpoint: excludes checks and names unknown ones', async () => {
  const { status, text } = await ask('/readyz?verbose&exclude=poststarthook/start-controllers&exclude=other')
  assert.equal(status, 200)
  assert.deepEqual(text.split('\n'), [
    '[+]ping ok',
    '[+]poststarthook/start-controllers excluded: ok',
    'warn: some health checks cannot be excluded: no matches for "other"',
    'readyz check passed',
    '',
  ])
})
