import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory, inTime, runningVia, statusOf } from '../support/fleet.js'
import { otherMachine } from '../support/other-machine.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

interface JoinToken {
  readonly server: string
  readonly ca: string
  readonly command: string
}

async function joinToken(directory: string): Promise<JoinToken> {
  const { out, errors } = await orrery('get', 'token', '--data', directory, '-o', 'json')
  assert.equal(errors, '')
  return JSON.parse(out) as JoinToken
}

/** Why a server cannot be trusted under a name; undefined if it can. */
function distrust({ server, ca }: JoinToken, servername: string): Promise<string | undefined> {
  const { hostname, port } = new URL(server)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername, ca, rejectUnauthorized: false }, () => {
      resolve(socket.authorized ? undefined : String(socket.authorizationError))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

async function start(t: TestContext, directory: string, ...args: string[]) {
  const started = await orrery('up', '--data', directory, '--clusters', '1', '--detach', ...args)
  assert.equal(started.code, 0, started.errors)
  afterwards(t, async () => {
    await orrery('down', '--data', directory)
  })
  return started
}

test('orrery up --bind-address: a cluster on another machine joins the hub', async (t) => {
  const machine = await otherMachine(t)
  if (machine === undefined)
    return t.skip('this machine has no address but the loopback one, and no network namespaces')
  const directory = await fleetDirectory(t)
  const { address, prefix } = machine
  const exposed = ['--bind-address', '0.0.0.0', '--advertise-address', address, '--tls-san', 'hub.test']
  const started = await start(t, directory, ...exposed)
  assert.match(started.errors, /^The hub listens on 0\.0\.0\.0 port \d+: other machines can connect to its API/m)
  assert.match(started.errors, /^The hub accepts every cluster that has the join token: keep the token secret\.$/m)
  const first = await joinToken(directory)
  const { port } = new URL(first.server)
  assert.equal(first.server, `https://${address}:${port}`)
  assert.ok(started.errors.includes(`Clusters on other machines join at ${first.server}: `), started.errors)

  const words = first.command.split(' ').slice(1).with(-1, 'edge')
  const edge = runningVia(prefix, ...words, '--data', await temporaryDirectory(t), '--log-level', 'error')
  afterwards(t, async () => {
    edge.process.kill('SIGTERM')
    await edge.ended
  })
  await edge.says(/edge has joined/)
  await inTime('the cluster is available', async () => {
    const { clusters } = await statusOf(directory)
    return clusters.find(({ name, available }) => name === 'edge' && available === 'True')
  })
  const local = await readFile(join(directory, 'kubeconfig'), 'utf8')
  assert.ok(local.includes(`https://127.0.0.1:${port}`), 'on this machine it is still reached by the loopback address')
  assert.equal(await distrust(first, 'hub.test'), undefined)
  assert.match((await distrust(first, 'other.test')) ?? '', /ALTNAME/)

  await orrery('down', '--data', directory)
  const again = await start(t, directory, '--tls-san', 'other.test')
  assert.match(again.errors, /^The hub listens on 0\.0\.0\.0 port /m, 'it is remembered')
  const second = await joinToken(directory)
  assert.deepEqual([second.server, second.ca], [first.server, first.ca])
  assert.equal(await distrust(second, 'other.test'), undefined, 'the certificate has the new name')
  assert.match((await distrust(second, 'hub.test')) ?? '', /ALTNAME/, 'and not the one before')
})

test('orrery up: listens on the loopback address by default, and get token warns about it', async (t) => {
  const directory = await fleetDirectory(t)
  const { errors } = await start(t, directory)
  assert.doesNotMatch(errors, /listens on/)
  const { server } = await joinToken(directory)
  assert.match(server, /^https:\/\/127\.0\.0\.1:\d+$/)
  const token = await orrery('get', 'token', '--data', directory)
  assert.equal(token.code, 0)
  assert.match(token.errors, new RegExp(`^${server} is reachable from this machine only\\. .* --bind-address`))
  const machine = await otherMachine(t)
  if (machine === undefined) return
  const elsewhere = server.replace('127.0.0.1', machine.address)
  await assert.rejects(distrust({ server: elsewhere, ca: '', command: '' }, 'localhost'), /ECONNREFUSED/)

  await orrery('down', '--data', directory)
  await start(t, directory, '--bind-address', machine.address)
  const moved = await statusOf(directory)
  assert.deepEqual([moved.code, moved.parts[0]?.url], [0, elsewhere], 'clusters on this machine follow the hub')
  assert.equal((await joinToken(directory)).server, elsewhere)
})
