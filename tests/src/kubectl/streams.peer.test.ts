import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { createPod, isReady, type NodeCluster, startCluster, whenPod } from '../node/node-cluster.js'
import { freePort } from '../support/free-port.js'
import { temporaryDirectory } from '../support/server.js'

const BIN = new URL('../../../.cache/peers/bin/', import.meta.url).pathname

/** A program that listens on a port and echoes its input. */
const PROGRAM = `
  require('node:net').createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => socket.write('echo ' + data))
    socket.on('end', () => socket.end())
  }).listen(PORT, '127.0.0.1', () => console.log('up'))
  process.stdin.on('data', (data) => console.log('got ' + data))`

interface Setting {
  readonly cluster: NodeCluster
  readonly home: string
  readonly port: number
  /** Starts kubectl. Its output so far is in `text`. */
  readonly kubectl: (args: string[], input?: string) => Running
}

interface Running {
  readonly text: () => string
  readonly ended: Promise<number | null>
  readonly kill: () => void
}

async function setting(t: TestContext, minor: number): Promise<Setting> {
  const binary = join(BIN, `kubectl-${minor}`)
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run node tools/peers/kubectl.mjs`)
  const port = await freePort()
  const command = [process.execPath, '-e', PROGRAM.replace('PORT', String(port))]
  // Without isolation a program offers the commands that it is registered with.
  const cluster = await startCluster(t, { programs: { echo: { command, anyCommand: true } }, listens: true })
  const home = await temporaryDirectory(t)
  await writeFile(join(home, 'kubeconfig'), cluster.kubeconfig)
  await createPod(cluster, 'real', {
    containers: [{ name: 'main', image: 'echo', stdin: true, ports: [{ containerPort: port }] }],
  })
  await createPod(cluster, 'played', { containers: [{ name: 'main', image: 'nginx' }] })
  await whenPod(cluster, 'played', isReady, 50)
  await eventually('it is up', async () => (await cluster.logs('real').catch(() => '')).includes('up'))
  const kubectl = (args: string[], input?: string): Running => {
    const child = spawn(binary, args, {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, KUBECONFIG: join(home, 'kubeconfig') },
    })
    t.after(() => child.kill('SIGKILL'))
    child.stdin.on('error', () => undefined)
    if (input !== undefined) child.stdin.end(input)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    return { text: () => text, ended, kill: () => child.kill() }
  }
  return { cluster, home, port, kubectl }
}

for (const minor of [31, 37]) {
  test(`kubectl 1.${minor}: exec runs commands with input, output and exit code`, async (t) => {
    const { kubectl } = await setting(t, minor)
    const failing = kubectl(['exec', 'real', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3'])
    assert.equal(await failing.ended, 3)
    assert.match(failing.text(), /out\n/)
    assert.match(failing.text(), /err\ncommand terminated with exit code 3/)
    const reading = kubectl(['exec', '-i', 'real', '--', 'cat'], 'some input')
    assert.equal(await reading.ended, 0)
    assert.equal(reading.text(), 'some input')
  })

  test(`kubectl 1.${minor}: cp copies directories both ways`, async (t) => {
    const { kubectl, home } = await setting(t, minor)
    await mkdir(join(home, 'from'))
    await writeFile(join(home, 'from/file'), 'content')
    const there = kubectl(['cp', 'from', 'real:/tmp/orrery-copied'], '')
    assert.equal(await there.ended, 0, there.text())
    const back = kubectl(['cp', 'real:/tmp/orrery-copied/file', 'back'], '')
    assert.equal(await back.ended, 0, back.text())
    assert.equal(await readFile(join(home, 'back'), 'utf8'), 'content')
    assert.equal(await kubectl(['exec', 'real', '--', 'rm', '-r', '/tmp/orrery-copied']).ended, 0)
  })

  test(`kubectl 1.${minor}: attach connects with the program`, async (t) => {
    const { kubectl, cluster } = await setting(t, minor)
    const attached = kubectl(['attach', '-i', 'real'], 'typed')
    await eventually('it has read', async () => (await cluster.logs('real')).includes('got typed'))
    attached.kill()
  })

  test(`kubectl 1.${minor}: port-forward forwards connections`, async (t) => {
    const { kubectl, port } = await setting(t, minor)
    const forwarding = kubectl(['port-forward', 'real', `:${port}`])
    const local = () => Number(/Forwarding from 127\.0\.0\.1:(\d+)/.exec(forwarding.text())?.[1] ?? 0)
    await eventually('it forwards', () => local() > 0)
    for (const word of ['one', 'two']) {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(local(), '127.0.0.1', () => socket.write(word))
        socket.once('data', (data) => {
          socket.end()
          resolve(data.toString())
        })
        socket.once('error', reject)
      })
      assert.equal(answer, `echo ${word}`)
    }
    forwarding.kill()
  })

  test(`kubectl 1.${minor}: rejections for played pods are final`, async (t) => {
    const { kubectl } = await setting(t, minor)
    for (const args of [
      ['exec', 'played', '--', 'ls'],
      ['attach', 'played'],
      ['port-forward', 'played', ':80'],
    ]) {
      const refused = kubectl(args)
      assert.equal(await refused.ended, 1)
      assert.match(refused.text(), /pod "played" is played, there is no process to .*: no program of this node/)
    }
  })
}
