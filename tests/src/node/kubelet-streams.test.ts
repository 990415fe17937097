import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { constants, createDeflate } from 'node:zlib'
import { ClusterRole, type Kind, RoleBinding, ServiceAccount, type TokenRequest } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import type { NodeOptions } from '@orrery/node'
import { freePort } from '../support/free-port.js'
import { createPod, FOREVER, isReady, type NodeCluster, startCluster, whenPod } from './node-cluster.js'
import { openTunnel, StreamClient } from './stream-client.js'

const V4 = 'v4.channel.k8s.io'
const V5 = 'v5.channel.k8s.io'
const OUTPUT = 'stdout=true&stderr=true'

/** A cluster with a pod that runs a script, and may run shells. */
async function started(t: TestContext, script: string, options: Partial<NodeOptions> = {}): Promise<NodeCluster> {
  const programs = { script: { command: [process.execPath, '-e', script], anyCommand: true } }
  const cluster = await startCluster(t, { programs, listens: true, ...options })
  const containers = [{ name: 'main', image: 'script', stdin: true, ports: [{ containerPort: await freePort() }] }]
  await createPod(cluster, 'real', { containers })
  await whenPod(cluster, 'real', isReady)
  return cluster
}

const Tokens: Kind<TokenRequest> = {
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
}

function command(...words: string[]): string {
  return words.map((word) => `command=${encodeURIComponent(word)}`).join('&')
}

for (const isolation of ['auto', 'off'] as const) {
  test(`exec: runs a command in a container and reports its exit (isolation ${isolation})`, async (t) => {
    const write = `require('fs').writeFileSync('here', 'content'); console.log('up'); ${FOREVER}`
    const cluster = await started(t, write, { isolation })
    await eventually('it is up', async () => (await cluster.logs('real')).includes('up'))
    const script = 'cat here; echo error >&2; exit 3'
    const client = await StreamClient.open(t, cluster, `real/exec?${OUTPUT}&${command('sh', '-c', script)}`, V4)
    assert.deepEqual(await client.status(), {
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 3',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    })
    assert.equal(client.text(1), 'content')
    assert.equal(client.text(2), 'error\n')

    const absent = await StreamClient.open(t, cluster, `real/exec?${OUTPUT}&${command('absent')}`, V4)
    assert.equal((await absent.status()).status, 'Failure')
    assert.match(absent.text(2), /^$|\n$/, 'what is printed ends its line')
  })
}

test('exec: forwards input until the client ends it', async (t) => {
  const cluster = await started(t, FOREVER)
  const client = await StreamClient.open(t, cluster, `real/exec?stdin=true&${OUTPUT}&${command('cat')}`, V5)
  const text = 'x'.repeat(200_000)
  client.send(0, text)
  client.send(0, 'end')
  client.send(255, Buffer.from([0]))
  assert.deepEqual(await client.status(), { metadata: {}, status: 'Success' })
  assert.equal(client.text(1), `${text}end`)
})

test('exec: ends the command when the client disconnects', async (t) => {
  const cluster = await started(t, FOREVER)
  const mark = `mark-${process.pid}-${Date.now()}`
  const wait = command('sh', '-c', 'echo up; sleep 1000', mark)
  const client = await StreamClient.open(t, cluster, `real/exec?${OUTPUT}&${wait}`, V5)
  await client.until(1, 'up')
  assert.ok((await processesWith(mark)).length > 0)
  client.socket.close()
  await eventually('it is gone', async () => (await processesWith(mark)).length === 0)
})

async function processesWith(argument: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => texts[index]?.split('\0').includes(argument))
}

const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script')

test("exec: has a terminal of the client's size", { skip: !hasTerminals }, async (t) => {
  const cluster = await started(t, FOREVER)
  const script = 'tty; echo ready; read line; stty size; exit 4'
  const path = `real/exec?tty=true&stdin=true&stdout=true&${command('sh', '-c', script)}`
  const client = await StreamClient.open(t, cluster, path, V5)
  await client.until(1, 'ready')
  assert.match(client.text(1), /\/dev\/pts\/\d/)
  client.send(4, JSON.stringify({ Width: 99, Height: 33 }))
  // The size arrives some time after it was sent: the test polls for it.
  const ask = `real/exec?${OUTPUT}&${command('sh', '-c', `stty -F ${/\/dev\/pts\/\d+/.exec(client.text(1))?.[0]} size`)}`
  await eventually('it has the size', async () => {
    const look = await StreamClient.open(t, cluster, ask, V5)
    await look.closed
    return look.text(1) === '33 99\n'
  })
  client.send(0, '\n')
  assert.equal((await client.status()).reason, 'NonZeroExitCode')
  assert.match(client.text(1), /33 99/)
})

test('exec: rejects what a program without isolation does not offer, finally', async (t) => {
  const commands = { hello: [process.execPath, '-e', 'console.log("hello", ...process.argv.slice(1))'] }
  const program = { command: [process.execPath, '-e', FOREVER], commands }
  const cluster = await startCluster(t, { programs: { app: program }, listens: true, isolation: 'off' })
  await createPod(cluster, 'real', { containers: [{ name: 'main', image: 'app' }] })
  await whenPod(cluster, 'real', isReady)
  const open = (...words: string[]) => StreamClient.open(t, cluster, `real/exec?${OUTPUT}&${command(...words)}`, V5)
  await assert.rejects(
    open('cat', '/etc/passwd'),
    /400 .*does not allow the command \\"cat\\": add it to commands of the registration/,
  )
  const client = await open('hello', 'you')
  assert.equal((await client.status()).status, 'Success')
  assert.equal(client.text(1), 'hello you\n')
})

test('exec, attach, port-forward: a played pod rejects them finally', async (t) => {
  const cluster = await startCluster(t, { listens: true })
  await createPod(cluster, 'played', { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80 }] }] })
  await whenPod(cluster, 'played', isReady, 50)
  const open = (path: string) => StreamClient.open(t, cluster, `played/${path}`, V4)
  const why = (what: string) =>
    new RegExp(`400 .*pod \\\\"played\\\\" is played, there is no process to ${what}: no program`)
  await assert.rejects(open(`exec?${OUTPUT}&command=ls`), why('execute a command'))
  await assert.rejects(open(`attach?${OUTPUT}`), why('attach to'))
  await assert.rejects(open('portforward?ports=80'), why('forward a port to'))
})

test('exec: requires the permissions to get and to create', async (t) => {
  const cluster = await started(t, FOREVER)
  const { client } = cluster
  const tokenFor = async (name: string, verbs: string[]) => {
    const metadata = { namespace: 'default', name }
    await client.create(ServiceAccount, { metadata })
    await client.create(ClusterRole, {
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs }],
    })
    await client.create(RoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
    })
    const request = { apiVersion: 'authentication.k8s.io/v1', metadata, spec: { audiences: [] } }
    return (await client.create(Tokens, request, { subresource: 'token' })).status?.token ?? ''
  }
  const exec = async (token: string) =>
    StreamClient.open(t, cluster, `real/exec?${OUTPUT}&${command('true')}`, V5, { token })
  const denied = (verb: string) => new RegExp(`403 .*cannot ${verb} resource \\\\"pods/exec\\\\"`)
  await assert.rejects(exec(await tokenFor('reader', ['get'])), denied('create'))
  await assert.rejects(exec(await tokenFor('creator', ['create'])), denied('get'))
  assert.equal((await (await exec(await tokenFor('both', ['get', 'create']))).status()).status, 'Success')
})

test('attach: connects a client with the program', async (t) => {
  const script = `process.stdin.on('data', (data) => { console.log('got ' + data); console.error('heard') })
    process.stdin.on('end', () => console.log('end')); console.log('up')`
  const cluster = await started(t, `${script}; ${FOREVER}`)
  await eventually('it is up', async () => (await cluster.logs('real')).includes('up'))
  const client = await StreamClient.open(t, cluster, `real/attach?stdin=true&${OUTPUT}`, V5)
  client.send(0, 'this')
  await client.until(1, 'got this')
  await client.until(2, 'heard')
  assert.doesNotMatch(client.text(1), /up/)
  // Its input stays open for others, unless it is closed.
  client.send(255, Buffer.from([0]))
  client.socket.close()
  await client.closed
  const other = await StreamClient.open(t, cluster, `real/attach?stdin=true&${OUTPUT}`, V4)
  other.send(0, 'that')
  await other.until(1, 'got that')
  assert.doesNotMatch(await cluster.logs('real'), /end/)
})

/** A script that responds on the port of the container. */
const ECHO = `require('net').createServer((socket) => {
  socket.on('data', (data) => socket.write('echo ' + data)); socket.on('end', () => socket.end('bye'))
}).listen(PORT, '127.0.0.1', () => console.log('up'))`

async function echoing(t: TestContext): Promise<{ cluster: NodeCluster; port: number }> {
  const port = await freePort()
  const program = { command: [process.execPath, '-e', ECHO.replace('PORT', String(port))] }
  const cluster = await startCluster(t, { programs: { echo: program }, listens: true })
  await createPod(cluster, 'real', { containers: [{ name: 'main', image: 'echo', ports: [{ containerPort: port }] }] })
  await eventually('it is up', async () => (await cluster.logs('real').catch(() => '')).includes('up'))
  return { cluster, port }
}

test('port-forward: forwards to declared ports of the pod, over channels', async (t) => {
  const { cluster, port } = await echoing(t)
  const client = await StreamClient.open(t, cluster, `real/portforward?ports=${port}`, V4)
  const name = Buffer.alloc(2)
  name.writeUInt16LE(port)
  await client.until(0, name.toString('latin1'))
  await client.until(1, name.toString('latin1'))
  client.send(0, 'hello')
  await client.until(0, 'echo hello')
  const other = await StreamClient.open(t, cluster, 'real/portforward?ports=1', V4)
  await other.until(1, 'error forwarding port 1 to pod real: no container of the pod declares it: add containerPort 1')
})

test("port-forward: forwards over kubectl's tunnel", async (t) => {
  const { cluster, port } = await echoing(t)
  const tunnel = await openTunnel(t, cluster, 'real/portforward', 'SPDY/3.1+portforward.k8s.io')
  assert.equal(tunnel.protocol, 'SPDY/3.1+portforward.k8s.io')
  const dictionary = await dictionaryOf()
  const deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH })
  const open = async (id: number, type: string) => {
    const pairs = Object.entries({ streamtype: type, port: String(port), requestid: '0' }).flat()
    const block = Buffer.concat([number(3), ...pairs.flatMap((text) => [number(text.length), Buffer.from(text)])])
    const pieces: Buffer[] = []
    const collect = (piece: Buffer) => pieces.push(piece)
    deflate.on('data', collect)
    await new Promise<void>((resolve) => deflate.write(block, () => deflate.flush(constants.Z_SYNC_FLUSH, resolve)))
    deflate.off('data', collect)
    const body = Buffer.concat([number(id), number(0), Buffer.alloc(2), ...pieces])
    tunnel.send(Buffer.concat([Buffer.from([0x80, 3, 0, 1]), number(body.length), body]))
  }
  await open(1, 'error')
  await open(3, 'data')
  tunnel.send(Buffer.concat([number(3), number(5), Buffer.from('hello')]))
  await tunnel.until('echo hello')
  // The last chunk: flag and length share a number.
  tunnel.send(Buffer.concat([number(3), number(0x01000000)]))
  await tunnel.until('bye')
  deflate.destroy()
})

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

async function dictionaryOf(): Promise<Buffer> {
  const module = new URL('../../../packages/node/dist/kubelet/streaming/spdy-dictionary.js', import.meta.url)
  return ((await import(module.href)) as { SPDY_DICTIONARY: Buffer }).SPDY_DICTIONARY
}
