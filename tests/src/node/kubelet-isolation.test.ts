import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigMap, Node, Pod } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import type { NodeOptions } from '@orrery/node'
import {
  containerOf,
  createPod,
  createScript,
  FOREVER,
  isReady,
  NODE_NAME,
  type NodeCluster,
  SCRIPT,
  startCluster,
  whenEvent,
  whenPod,
} from './node-cluster.js'

const ref = (name: string) => ({ namespace: 'default', name })
const programs = { script: { ...SCRIPT, commands: { run: [process.execPath, '-e'] } } }

/** Starts a cluster whose node isolates programs; undefined if the machine cannot, which the node then reports. */
async function isolatedCluster(t: TestContext, options: Partial<NodeOptions> = {}): Promise<NodeCluster | undefined> {
  const cluster = await startCluster(t, { programs, ...options })
  const condition = await isolationOf(cluster)
  if (condition?.status === 'True') return cluster
  assert.equal(condition?.reason, 'NamespacesUnavailable')
  return undefined
}

async function isolationOf({ client }: NodeCluster) {
  let found: Node | undefined
  await eventually('the node has conditions', async () => {
    found = await client.find(Node, { name: NODE_NAME })
    return found?.status?.conditions !== undefined
  })
  return found?.status?.conditions?.find(({ type }) => type === 'orrery.dev/PodIsolation')
}

/** Runs a script to its end and returns its output. */
async function outputOf(cluster: NodeCluster, name: string, script: string, ...rest: Tail): Promise<string> {
  const [spec = {}, container = {}] = rest
  await createScript(cluster, name, script, { restartPolicy: 'Never', ...spec }, container)
  await whenPod(cluster, name, ({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed')
  return cluster.logs(name)
}
type Tail = [spec?: Parameters<typeof createScript>[3], container?: Parameters<typeof createScript>[4]]

const CODE = { namespace: 'default', name: 'code' }
const VOLUMES = { volumes: [{ name: 'code', configMap: { name: 'code', defaultMode: 0o755 } }] }
const MOUNTS = { volumeMounts: [{ name: 'code', mountPath: '/code' }] }

for (const isolation of ['auto', 'off'] as const) {
  test(`kubelet: rejects variables that change what is executed (isolation ${isolation})`, async (t) => {
    const registered = { command: ['node', '-e', 'console.log("registered")'], env: { PATH: process.env.PATH ?? '' } }
    const cluster = await startCluster(t, {
      isolation,
      programs: { app: registered, open: { ...registered, allowEnv: ['NODE_OPTIONS'] } },
    })
    await cluster.client.create(ConfigMap, {
      metadata: CODE,
      data: { node: '#!/bin/sh\necho hijacked\n', 'evil.cjs': 'console.log("hijacked")' },
    })
    const attack = (name: string, value: string, image = 'app') => ({
      restartPolicy: 'Never' as const,
      ...VOLUMES,
      containers: [{ name: 'main', image, env: [{ name, value }], ...MOUNTS }],
    })
    const attacks = { PATH: '/code', NODE_OPTIONS: '--require=/code/evil.cjs', LD_PRELOAD: '/code/evil.so' }
    for (const [name, value] of Object.entries(attacks)) {
      const pod = name.toLowerCase().replace('_', '-')
      await createPod(cluster, pod, attack(name, value))
      const { status } = await whenPod(
        cluster,
        pod,
        (found) => containerOf(found).state?.waiting?.message !== undefined,
      )
      const message = `variable "${name}" changes what the node's program for this image executes: remove it, or add it to allowEnv of the registration`
      assert.deepEqual(status?.containerStatuses?.[0]?.state?.waiting, {
        reason: 'CreateContainerConfigError',
        message,
      })
      await whenEvent(cluster, 'Failed', new RegExp(`^Error: variable "${name}" `))
    }
    await createPod(cluster, 'allowed', attack('NODE_OPTIONS', '--require=/code/evil.cjs', 'open'))
    await whenPod(cluster, 'allowed', ({ status }) => status?.phase === 'Succeeded')
    assert.equal(await cluster.logs('allowed'), 'hijacked\nregistered\n')
  })
}

test('kubelet: rejects variables from envFrom that change what is executed', async (t) => {
  const cluster = await startCluster(t, { programs: { app: { command: [process.execPath, '-e', '0'] } } })
  await cluster.client.create(ConfigMap, { metadata: CODE, data: { PRELOAD: '/code/evil.so' } })
  const envFrom = [{ prefix: 'LD_', configMapRef: { name: 'code' } }]
  await createPod(cluster, 'sly', { containers: [{ name: 'main', image: 'app', envFrom }] })
  const pod = await whenPod(cluster, 'sly', (found) => containerOf(found).state?.waiting?.message !== undefined)
  assert.match(containerOf(pod).state?.waiting?.message ?? '', /^variable "LD_PRELOAD" changes/)
})

test('kubelet: rejects arguments of containers if the registration fixes them', async (t) => {
  const fixed = { command: [process.execPath, '-e', 'console.log("fixed")'], fixedArgs: true }
  const cluster = await startCluster(t, { programs: { fixed } })
  await createPod(cluster, 'own', { containers: [{ name: 'main', image: 'fixed', args: ['x'] }] })
  const own = await whenPod(cluster, 'own', (pod) => containerOf(pod).state?.waiting?.message !== undefined)
  assert.match(containerOf(own).state?.waiting?.message ?? '', /accepts no arguments from containers/)
  await createPod(cluster, 'none', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'fixed' }] })
  await whenPod(cluster, 'none', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('none'), 'fixed\n')
})

test('kubelet: does not change mount paths in a registered command', async (t) => {
  const print = 'console.log(JSON.stringify(process.argv.slice(1)))'
  const program = { command: [process.execPath, '-e', print, '/data'], args: ['/data/default'] }
  const cluster = await startCluster(t, { programs: { app: program }, isolation: 'off' })
  const spec = (args?: string[]) => ({
    restartPolicy: 'Never' as const,
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [
      { name: 'main', image: 'app', volumeMounts: [{ name: 'v', mountPath: '/data' }], ...(args && { args }) },
    ],
  })
  for (const [name, args] of [['default'], ['own', ['/data/own']]] as const) {
    await createPod(cluster, name, spec(args === undefined ? undefined : [...args]))
    const pod = await whenPod(cluster, name, ({ status }) => status?.phase === 'Succeeded')
    const root = join(cluster.directory, 'pods', pod.metadata.uid, 'containers/main/root')
    assert.deepEqual(JSON.parse(await cluster.logs(name)), ['/data', `${root}/data/${name}`])
  }
})

test('kubelet: an isolated program sees its volumes at their paths, and nothing else of the fleet', async (t) => {
  const cluster = await isolatedCluster(t, { server: 'https://127.0.0.1:1' })
  if (cluster === undefined) return
  await writeFile(join(cluster.directory, 'hub.key'), 'key')
  await cluster.client.create(ConfigMap, { metadata: CODE, data: { 'app.ini': 'one' } })
  const script = `
    const fs = require('node:fs')
    const attempt = (what) => { try { return what() } catch ({ code }) { return code } }
    console.log(JSON.stringify({
      config: fs.readFileSync('/code/app.ini', 'utf8'),
      token: fs.readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8').split('.').length,
      kubeconfig: JSON.parse(fs.readFileSync(process.env.KUBECONFIG, 'utf8')).users[0].user.tokenFile,
      fleet: fs.existsSync(${JSON.stringify(cluster.directory)}),
      home: fs.readdirSync(require('node:os').homedir()),
      root: fs.readdirSync('/').filter((name) => !name.startsWith('.')).join(),
      processes: fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length,
      writeSystem: attempt(() => fs.writeFileSync('/usr/evil', '')),
      writeKernel: attempt(() => fs.writeFileSync('/proc/sys/kernel/core_pattern', 'evil')),
      writeConfig: attempt(() => fs.writeFileSync('/code/app.ini', 'two')),
      writeOwn: attempt(() => fs.writeFileSync('/tmp/own', '')),
      shadow: fs.existsSync('/etc/shadow'),
      capabilities: /CapEff:\\s*(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1],
      paths: [process.argv[1], process.env.AT],
    }))`
  const text = await outputOf(cluster, 'curious', '', VOLUMES, {
    ...MOUNTS,
    args: [script, '/code/app.ini'],
    env: [{ name: 'AT', value: '/code/app.ini' }],
  })
  const { root, processes, ...seen } = JSON.parse(text)
  assert.deepEqual(seen, {
    config: 'one',
    token: 3,
    kubeconfig: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    fleet: false,
    home: [],
    writeSystem: 'EROFS',
    writeKernel: 'EROFS',
    writeConfig: 'EROFS',
    shadow: false,
    capabilities: '0000000000000000',
    paths: ['/code/app.ini', '/code/app.ini'],
  })
  assert.ok(processes <= 3, text)
  assert.doesNotMatch(root, /home|srv|mnt|boot|sys/)
})

test('kubelet: a volume of an isolated pod cannot lead outside', async (t) => {
  const cluster = await isolatedCluster(t)
  if (cluster === undefined) return
  const secret = join(cluster.directory, 'secret')
  await mkdir(secret)
  await writeFile(join(secret, 'hub.key'), 'the key')
  const link = `const fs = require('node:fs')
    fs.symlinkSync(${JSON.stringify(secret)}, '/data/part')
    fs.symlinkSync(${JSON.stringify(join(secret, 'hub.key'))}, '/data/file')`
  const look = `const fs = require('node:fs'); console.log(fs.existsSync('/part/hub.key'), fs.readFileSync('/dev/termination-log', 'utf8'))`
  await createPod(cluster, 'climber', {
    restartPolicy: 'Never',
    volumes: [{ name: 'v', emptyDir: {} }],
    initContainers: [
      { name: 'link', image: 'script', args: [link], volumeMounts: [{ name: 'v', mountPath: '/data' }] },
    ],
    containers: [
      {
        name: 'main',
        image: 'script',
        args: [look],
        volumeMounts: [{ name: 'v', mountPath: '/part', subPath: 'part' }],
      },
    ],
  })
  const pod = await whenPod(cluster, 'climber', (found) => {
    return found.status?.phase === 'Succeeded' || containerOf(found).state?.waiting?.message !== undefined
  })
  const { waiting } = containerOf(pod).state ?? {}
  if (waiting === undefined) assert.equal(await cluster.logs('climber'), 'false \n')
  else assert.equal(waiting.reason, 'CreateContainerError')
})

test('kubelet: does not read the termination message of an isolated program through a link', async (t) => {
  const cluster = await isolatedCluster(t)
  if (cluster === undefined) return
  const secret = join(cluster.directory, 'hub.key')
  await writeFile(secret, 'the key')
  const script = `const fs = require('node:fs')
    fs.writeFileSync('/dev/termination-log', 'last words')
    try { fs.unlinkSync('/dev/termination-log') } catch {}
    try { fs.symlinkSync(${JSON.stringify(secret)}, '/dev/termination-log') } catch {}`
  await createScript(cluster, 'liar', script, { restartPolicy: 'Never' })
  const pod = await whenPod(cluster, 'liar', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(containerOf(pod).state?.terminated?.message, 'last words')
})

test('kubelet: all processes of an isolated program end with it', async (t) => {
  const cluster = await isolatedCluster(t)
  if (cluster === undefined) return
  const mark = `mark-${process.pid}-${Date.now()}`
  const script = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ${JSON.stringify(mark)}],
      { detached: true, env: {}, stdio: 'ignore' })
    child.once('spawn', () => console.log('up'))
    ${FOREVER}`
  await createScript(cluster, 'parent', script)
  await eventually('its child runs', async () => (await cluster.logs('parent')).includes('up'))
  await eventually('the child is found', async () => (await processesWith(mark)).length > 0)
  await cluster.client.delete(Pod, ref('parent'), { gracePeriodSeconds: 1 })
  await eventually('the pod is gone', async () => {
    cluster.clock.advance(500)
    return (await cluster.client.find(Pod, ref('parent'))) === undefined
  })
  assert.deepEqual(await processesWith(mark), [])
})

/** The processes of the machine with exactly this argument. */
async function processesWith(argument: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return text.split('\0').includes(argument)
    }),
  )
  return pids.filter((_, index) => found[index])
}

test('kubelet: an isolated program gets its stop signal, and its end is reported', async (t) => {
  const cluster = await isolatedCluster(t)
  if (cluster === undefined) return
  const script = `process.on('SIGUSR1', () => { console.log('asked'); process.exit(7) }); console.log('up'); ${FOREVER}`
  const lifecycle = { stopSignal: 'SIGUSR1' }
  await createScript(cluster, 'asked', script, { os: { name: 'linux' }, activeDeadlineSeconds: 60 }, { lifecycle })
  await createScript(cluster, 'plain', `console.log('up'); ${FOREVER}`, { activeDeadlineSeconds: 60 })
  await createScript(cluster, 'killer', 'process.kill(process.pid, "SIGKILL")', { restartPolicy: 'Never' })
  for (const name of ['asked', 'plain']) {
    await eventually(`${name} is up`, async () => (await cluster.logs(name)).includes('up'))
  }
  cluster.clock.advance(61_000)
  const ended = async (name: string) => {
    const pod = await whenPod(cluster, name, (found) => containerOf(found).state?.terminated !== undefined)
    const { exitCode, signal } = containerOf(pod).state?.terminated ?? {}
    return { exitCode, signal }
  }
  assert.deepEqual(await ended('asked'), { exitCode: 7, signal: undefined })
  assert.deepEqual(await ended('plain'), { exitCode: 143, signal: 15 })
  assert.deepEqual(await ended('killer'), { exitCode: 137, signal: 9 })
  assert.equal(await cluster.logs('asked'), 'up\nasked\n')
  assert.equal(await cluster.logs('plain'), 'up\n')
})

test('kubelet: exec probes run inside the isolated container', async (t) => {
  const cluster = await isolatedCluster(t)
  if (cluster === undefined) return
  const check = 'process.exitCode = require("fs").existsSync("/tmp/flag") ? 0 : 1'
  const readinessProbe = { exec: { command: ['run', check] }, periodSeconds: 1, timeoutSeconds: 60 }
  const script = `setTimeout(() => require('fs').writeFileSync('/tmp/flag', ''), 100); ${FOREVER}`
  await createScript(cluster, 'probed', script, {}, { readinessProbe })
  await whenPod(cluster, 'probed', isReady, 100)
  assert.equal(existsSync('/tmp/flag'), false)
})

test('kubelet: a restarted container has an empty root, and its volumes', async (t) => {
  const cluster = await isolatedCluster(t)
  if (cluster === undefined) return
  const script = `const fs = require('node:fs')
    console.log(fs.existsSync('/tmp/left'), fs.existsSync('/keep/left'))
    fs.writeFileSync('/tmp/left', ''); fs.writeFileSync('/keep/left', '')
    process.exitCode = 1`
  const volumes = [{ name: 'keep', emptyDir: {} }]
  await createScript(cluster, 'again', script, { volumes }, { volumeMounts: [{ name: 'keep', mountPath: '/keep' }] })
  await whenPod(cluster, 'again', (pod) => containerOf(pod).restartCount === 1)
  await eventually('it ran twice', async () => (await cluster.logs('again')) === 'false true\n')
  assert.equal(await cluster.logs('again', '?previous=true'), 'false false\n')
})

test('kubelet: a node without isolation reports it', async (t) => {
  const cluster = await startCluster(t, { programs, isolation: 'off' })
  const condition = await isolationOf(cluster)
  assert.equal(condition?.status, 'False')
  assert.equal(condition?.reason, 'NamespacesUnavailable')
  assert.match(condition?.message ?? '', /^programs run as ordinary processes of this machine: isolation is disabled$/)
})

test('kubelet: a program can be registered without isolation', async (t) => {
  const script = 'console.log(require("node:fs").existsSync(process.argv[1]))'
  const cluster = await startCluster(t, { programs: { script: { ...SCRIPT, isolated: false } } })
  assert.equal(await outputOf(cluster, 'open', '', {}, { args: [script, cluster.directory] }), 'true\n')
})
