import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { EVENT, startAdapter } from '../run/adapter.fixture.js'
import { runAdapter } from './run-adapter.js'

async function command(t: TestContext) {
  const { configFile, taskFile, directory, api } = await startAdapter(t)
  const eventFile = join(directory, 'event.json')
  writeFileSync(eventFile, JSON.stringify({ specversion: '1.0', ...EVENT }))
  const stop = new AbortController()
  const seen = { out: '', errors: '' }
  const run = (...args: string[]) =>
    runAdapter(args, {
      write: (text) => {
        seen.out += text
      },
      writeError: (text) => {
        seen.errors += text
      },
      environment: { HYPERFLEET_ADAPTER_CONFIG: configFile, HYPERFLEET_TASK_CONFIG: taskFile },
      signal: stop.signal,
    })
  return { run, seen, stop, eventFile, api, directory }
}

test('runAdapter: shows the version and the configuration with overrides', async (t) => {
  const { run, seen } = await command(t)
  assert.equal(await run('version'), 0)
  assert.equal(seen.out, 'controlplane 1.0\n')
  assert.equal(await run('config-dump', '--maestro-source-id', 'other'), 0)
  assert.match(seen.out, /source_id: other/)
  assert.match(seen.out, /ca_file: "\*\*REDACTED\*\*"/)
})

test('runAdapter: shows a dry run as text and as JSON', async (t) => {
  const { run, seen, eventFile, directory, api } = await command(t)
  const responses = join(directory, 'responses.json')
  const cluster = { statusCode: 200, body: { name: 'my-cluster', spec: { region: 'us-east' } } }
  writeFileSync(responses, JSON.stringify({ responses: [{ match: { method: 'GET' }, responses: [cluster] }] }))
  const args = ['serve', '--dry-run-event', eventFile, '--dry-run-api-responses', responses]
  assert.equal(await run(...args), 0, seen.errors)
  assert.match(seen.out, /^Result: success$/m)
  seen.out = ''
  assert.equal(await run(...args, '-o', 'json'), 0)
  assert.equal((JSON.parse(seen.out) as { status: string }).status, 'success')
  assert.deepEqual(api.requests, [])
})

test('runAdapter: serves until it is stopped', async (t) => {
  const { run, seen, stop } = await command(t)
  const running = run('serve', '--port', '0', '--metrics-port', '0', '--host', '127.0.0.1')
  const url = await eventually('the adapter takes events', () => /http:\S+(?=\/events)/.exec(seen.out)?.[0])
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  stop.abort()
  assert.equal(await running, 0)
})

test('runAdapter: exits with 2 for usage errors and with 1 for failures', async (t) => {
  const { run, seen } = await command(t)
  for (const args of [[], ['jump'], ['serve', 'now'], ['serve', '--loud'], ['run'], ['serve', '--port', 'x']]) {
    assert.equal(await run(...args), 2, args.join(' '))
  }
  assert.match(seen.errors, /error: unknown command "jump"\nSee --help\.\n/)
  assert.match(seen.errors, /error: run needs --event FILE, or - for standard input/)
  assert.equal(await run('version', '--config', '/missing.yaml'), 1)
  assert.match(seen.errors, /error: cannot read \/missing\.yaml: ENOENT.* \(hyperfleet-adapter-11\)\n/)
})
