import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { directoryWith } from '../kubeconfig/testing.fixture.js'
import type { ExecConfig } from '../kubeconfig/types.js'
import { FakeClock } from '../testing/fake-clock.js'
import { parseExecCredential } from './exec-credential.js'
import { ExecPlugin, type ExecPluginOptions } from './exec-plugin.js'
import { until } from './server.fixture.js'

const V1 = 'client.authentication.k8s.io/v1'
const credential = (status: object) => JSON.stringify({ apiVersion: V1, kind: 'ExecCredential', status })

/** A command that prints the content of a file, and records its input. */
const PROGRAM = `
const { appendFileSync, readFileSync } = require('node:fs')
const [directory, ...args] = process.argv.slice(2)
const { KUBERNETES_EXEC_INFO: info, EXTRA, FROM_US } = process.env
appendFileSync(directory + '/runs', JSON.stringify({ info: JSON.parse(info), args, EXTRA, FROM_US }) + '\\n')
process.stdout.write(readFileSync(directory + '/output'))
`

async function start(t: TestContext, config: Partial<ExecConfig> = {}, options: Partial<ExecPluginOptions> = {}) {
  const directory = await directoryWith(t, { output: credential({ token: 'one' }), runs: '', 'program.cjs': PROGRAM })
  const clock = new FakeClock()
  const plugin = new ExecPlugin(
    {
      apiVersion: V1,
      command: process.execPath,
      args: [join(directory, 'program.cjs'), directory, '--flag'],
      interactiveMode: 'Never',
      ...config,
    },
    {
      clock,
      environment: { FROM_US: 'yes' },
      isTerminal: async () => false,
      origin: '/k: user "x"',
      cluster: { server: 's' },
      ...options,
    },
  )
  const print = (text: string) => writeFile(join(directory, 'output'), text)
  const runs = async () => {
    const lines = (await readFile(join(directory, 'runs'), 'utf8')).trim().split('\n')
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  return { plugin, clock, print, runs }
}

test('ExecPlugin: runs the command once for all callers, with its input', async (t) => {
  const { plugin, runs } = await start(t, { env: [{ name: 'EXTRA', value: 'e' }], provideClusterInfo: true })
  const [one, two] = await Promise.all([plugin.current(), plugin.current()])
  assert.equal(one.token, 'one')
  assert.equal(one, two)
  assert.equal(plugin.current(), one)
  assert.deepEqual(await runs(), [
    {
      info: { kind: 'ExecCredential', apiVersion: V1, spec: { cluster: { server: 's' }, interactive: false } },
      args: ['--flag'],
      EXTRA: 'e',
      FROM_US: 'yes',
    },
  ])
})

test('ExecPlugin: does not pass the cluster without provideClusterInfo', async (t) => {
  const { plugin, runs } = await start(t)
  await plugin.current()
  assert.deepEqual((await runs())[0]?.info, { kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } })
})

test('ExecPlugin: runs again when the credentials expire', async (t) => {
  const { plugin, clock, print } = await start(t)
  await print(
    credential({ token: 'short', expirationTimestamp: new Date(clock.now().getTime() + 60_000).toISOString() }),
  )
  const first = await plugin.current()
  await print(credential({ token: 'next' }))
  clock.advance(59_999)
  assert.equal(plugin.current(), first)
  clock.advance(1)
  assert.equal((await plugin.current()).token, 'next')
})

test('ExecPlugin: runs again when the server rejects the credentials, with a pause', async (t) => {
  const { plugin, clock, print, runs } = await start(t)
  const first = await plugin.current()
  await print(credential({ token: 'two' }))
  assert.equal(await plugin.renew(first), first)
  clock.advance(1_000)
  const [second, again] = await Promise.all([plugin.renew(first), plugin.renew(first)])
  assert.equal(second.token, 'two')
  assert.equal(again, second)
  assert.equal(await plugin.renew(first), second)
  assert.equal((await runs()).length, 2)
})

test('ExecPlugin: reports a missing command with its install hint', async (t) => {
  const installHint = 'get it at \u001b[1mhttps://example.com\u001b[0m'
  const { plugin } = await start(t, { command: '/no/such/command', installHint })
  await assert.rejects(async () => plugin.current(), {
    message: '/k: user "x": exec: "/no/such/command": it is not installed: get it at ?[1mhttps://example.com?[0m',
  })
})

test('ExecPlugin: reports a command that fails, and runs it again', async (t) => {
  const { plugin } = await start(t, { args: ['-e', 'process.exit(3)'] })
  await assert.rejects(async () => plugin.current(), { message: /it failed with exit code 3$/ })
  const other = await start(t)
  await other.print('hush')
  await assert.rejects(async () => other.plugin.current(), { message: /it did not print JSON$/ })
  await other.print(credential({ token: 'now' }))
  assert.equal((await other.plugin.current()).token, 'now')
})

test('ExecPlugin: reports that a command needs a terminal if there is none', async (t) => {
  const { plugin } = await start(t, { interactiveMode: 'Always' })
  await assert.rejects(async () => plugin.current(), { message: /it needs a terminal, and there is none$/ })
  const some = await start(t, { interactiveMode: 'IfAvailable' })
  assert.equal((await some.plugin.current()).token, 'one')
})

test('ExecPlugin: closing kills the command, and does not wait for its children', async (t) => {
  const directory = await directoryWith(t, {})
  const started = join(directory, 'started')
  const { plugin } = await start(t, {
    command: 'sh',
    args: ['-c', 'trap "" TERM; echo $$ > "$0.part"; mv "$0.part" "$0"; while :; do sleep 0.1; done', started],
    env: [{ name: 'PATH', value: process.env.PATH ?? '' }],
  })
  const running = assert.rejects(async () => plugin.current(), { code: 'ECLOSED' })
  await until(() => existsSync(started))
  const stubborn = Number(await readFile(started, 'utf8'))
  t.after(() => process.kill(stubborn, 'SIGKILL'))
  plugin.close()
  await running
  await assert.rejects(async () => plugin.current(), { code: 'ECLOSED' })
})

test('ExecPlugin: a variable without a value is empty, whatever the process has', async (t) => {
  const { plugin, runs } = await start(t, { env: [{ name: 'FROM_US', value: null }, { name: 'EXTRA' }] })
  await plugin.current()
  const [run] = await runs()
  assert.deepEqual([run?.FROM_US, run?.EXTRA], ['', ''])
})

test('ExecPlugin: does not quote an invalid argument', async (t) => {
  const { plugin } = await start(t, { args: ['a\0secret'] })
  await assert.rejects(async () => plugin.current(), { message: /it cannot be run \(ERR_INVALID_ARG_VALUE\)$/ })
})

test('ExecPlugin: renews rejected credentials even if the clock was set back', async (t) => {
  const { plugin, clock, print } = await start(t)
  const first = await plugin.current()
  clock.adjust(-3_600_000)
  clock.advance(1000)
  await print(credential({ token: 'two' }))
  assert.equal((await plugin.renew(first)).token, 'two')
})

test('parseExecCredential: accepts and rejects the documented forms', () => {
  const parse = (status: object | string, version = V1) =>
    parseExecCredential(typeof status === 'string' ? status : credential(status), version)
  assert.deepEqual(parse({ clientCertificateData: 'c', clientKeyData: 'k' }), {
    token: undefined,
    certificate: 'c',
    key: 'k',
    expiresAt: Number.POSITIVE_INFINITY,
  })
  const refused: readonly [status: object | string, message: RegExp][] = [
    ['hush', /did not print JSON/],
    ['null', /did not print an ExecCredential/],
    [JSON.stringify({ apiVersion: V1, kind: 'ExecCredential' }), /no status/],
    [{}, /neither a token nor a certificate/],
    [{ token: '' }, /neither a token nor a certificate/],
    [{ clientKeyData: 'hush' }, /only one of a certificate and its key/],
    [{ token: 7 }, /not a string/],
    [{ token: 'hush', expirationTimestamp: 'tomorrow' }, /not an RFC 3339/],
  ]
  for (const [status, message] of refused) {
    assert.throws(
      () => parse(status),
      (error: Error) => message.test(error.message) && !error.message.includes('hush'),
    )
  }
  assert.throws(() => parse({ token: 't' }, 'client.authentication.k8s.io/v1beta1'), /but the kubeconfig has/)
})
