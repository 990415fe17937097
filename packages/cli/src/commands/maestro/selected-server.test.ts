import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { forbidden, serviceUnavailable, unauthorized } from '@orrery/kinds/values'
import { ConnectionError } from '@orrery/kube/transport'
import { Command } from 'commander'
import { addConnectionOptions, type ConnectionOptions } from './connection.js'
import { explainMaestroFailure } from './explain-failure.js'
import { type Ports, type SelectedServer, selectServer } from './selected-server.js'

/** Selects the server with these arguments and variables, in a directory without a fleet. */
async function select(
  t: TestContext,
  { args = [] as string[], ports = 'rest' as Ports, variables = {} as Record<string, string> },
): Promise<SelectedServer> {
  const fleet = mkdtempSync(join(tmpdir(), 'maestro-'))
  t.after(() => rmSync(fleet, { recursive: true }))
  const command = addConnectionOptions(new Command().exitOverride().configureOutput({ writeErr: () => undefined }))
  return withVariables({ ORRERY_DATA: fleet, ...variables }, () => {
    command.parse(args, { from: 'user' })
    return selectServer(command.opts<ConnectionOptions>(), ports, command)
  })
}

/** Other tests run in the same process: variables are set only as long as they are read. */
function withVariables<T>(variables: Readonly<Record<string, string>>, run: () => T): T {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  try {
    return run()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

const VARIABLES = {
  MAESTRO_API_URL: 'https://maestro:8000',
  MAESTRO_GRPC_URL: 'https://maestro:8090',
  MAESTRO_CA_FILE: 'ca.crt',
  MAESTRO_TOKEN_FILE: 'token',
}

test('selectServer: variables select a server with its CA and token', async (t) => {
  const { connection, isTyped } = await select(t, { variables: VARIABLES, ports: 'rest and gRPC' })
  assert.deepEqual(connection, {
    apiUrl: 'https://maestro:8000',
    grpcUrl: 'https://maestro:8090',
    ca: { file: 'ca.crt' },
    tokenFile: 'token',
  })
  assert.equal(isTyped, false)
})

test('selectServer: empty variables are ignored', async (t) => {
  const variables = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, '']))
  const { connection, isDefault } = await select(t, { variables })
  assert.deepEqual([connection, isDefault], [{ apiUrl: 'http://127.0.0.1:8000', grpcUrl: '127.0.0.1:8090' }, true])
})

test('selectServer: options take precedence over variables', async (t) => {
  const address = ['--api-url', 'http://127.0.0.1:1', '--grpc-url', '127.0.0.1:2']
  const { connection } = await select(t, { args: address, variables: VARIABLES })
  assert.deepEqual([connection.apiUrl, connection.grpcUrl], ['http://127.0.0.1:1', '127.0.0.1:2'])
  await assert.rejects(
    select(t, { args: ['--data', join(tmpdir(), 'no-fleet')], variables: VARIABLES }),
    /no-fleet has no Maestro server: run `orrery up --maestro --data .*no-fleet`/,
  )
})

for (const [what, args, ports, says] of [
  ['both --data and --api-url', ['--data', 'd', '--api-url', 'http://a'], 'rest', /--data <dir>' cannot be used with/],
  ['--api-url for gRPC', ['--api-url', 'http://a'], 'rest and gRPC', /--api-url' requires '--grpc-url <address>'/],
  ['--grpc-url alone', ['--grpc-url', 'a:1'], 'rest and gRPC', /--grpc-url' requires '--api-url <url>'/],
] as const) {
  test(`selectServer: rejects ${what}`, async (t) => {
    await assert.rejects(select(t, { args: [...args], ports }), says)
  })
}

test('explainMaestroFailure: says what to do', async (t) => {
  const failed = (message: string, code: string) => new ConnectionError(message, { code, sent: false })
  const refused = failed('GET /api/maestro/v1/consumers: 127.0.0.1:8000: connection refused', 'ECONNREFUSED')
  const unknown = failed('gRPC port a:1: not trusted', 'SELF_SIGNED_CERT_IN_CHAIN')
  const said = (error: unknown, server: SelectedServer) => (explainMaestroFailure(error, server) as Error).message
  const unavailable = Object.assign(serviceUnavailable(refused.message), { cause: refused })
  const standard = await select(t, {})
  assert.match(
    said(unavailable, standard),
    /^127\.0\.0\.1:8000: connection refused\nStart a server with `orrery up --maestro` or `orrery maestro server`, or select another with --data/,
  )
  const named = await select(t, { args: ['--api-url', 'http://a', '--grpc-url', 'a:1'] })
  assert.match(said(unavailable, named), /Check that the server runs, and --api-url\.$/)
  assert.match(
    said(failed('gRPC port a:1: no host', 'ENOTFOUND'), named),
    /Check that the server runs, and --grpc-url\.$/,
  )
  assert.match(said(unknown, named), /Set --ca-file or \$MAESTRO_CA_FILE to the CA of the server\.$/)
  const protocol = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'
  assert.match(
    said(failed('GET /x: a:1: alert', protocol), named),
    /\nIt seems to be a gRPC port: set --api-url to the REST port\.$/,
  )
  assert.match(said(failed('gRPC port a:1: alert', protocol), named), /seems to be the REST port: set --grpc-url to/)
  assert.match(said(unauthorized('no token'), named), /Set --token-file or \$MAESTRO_TOKEN_FILE, or --cert-file/)
  const other = forbidden({ group: '', resource: 'x' }, 'x', 'no')
  assert.equal(explainMaestroFailure(other, named), other)
})
