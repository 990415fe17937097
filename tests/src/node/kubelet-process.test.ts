import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, StorageClass } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import {
  containerOf,
  createPod,
  createScript,
  FOREVER,
  isReady,
  SCRIPT,
  startCluster,
  whenEvent,
  whenPod,
} from './node-cluster.js'

const programs = { script: SCRIPT }

/** Whether a process runs. A zombie may still be listed. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return status !== '' && !/\) Z /.test(status)
}

test('kubelet: runs a registered image as a process, with its output as its log', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'hello', 'console.log("hello"); console.error("oh"); process.exitCode = 4', {
    restartPolicy: 'Never',
  })
  const pod = await whenPod(cluster, 'hello', ({ status }) => status?.phase === 'Failed')
  const { terminated } = containerOf(pod).state ?? {}
  assert.equal(terminated?.exitCode, 4)
  assert.equal(terminated?.reason, 'Error')
  assert.equal(pod.status?.podIP, pod.status?.hostIP)
  assert.equal(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.reason, 'PodFailed')
  assert.deepEqual((await cluster.logs('hello')).split('\n').sort(), ['', 'hello', 'oh'])
  assert.equal(await cluster.logs('hello', '?stream=Stdout'), 'hello\n')
})

test('kubelet: variables come from all sources of a pod', async (t) => {
  const cluster = await startCluster(t, { programs: { script: { ...SCRIPT, env: { FROM_PROGRAM: 'p' } } } })
  const { client } = cluster
  await client.create(ConfigMap, {
    metadata: { namespace: 'default', name: 'cm' },
    data: { colour: 'blue', '1x': 'no' },
  })
  await client.create(Secret, { metadata: { namespace: 'default', name: 'sec' }, stringData: { pass: 'tr0ub4dor' } })
  await createScript(
    cluster,
    'env',
    'console.log(JSON.stringify([process.env, process.argv.slice(1)]))',
    { restartPolicy: 'Never' },
    {
      args: [
        'console.log(JSON.stringify([process.env, process.argv.slice(1)]))',
        '$(GREETING)',
        '$$(GREETING)',
        '$(NOBODY)',
      ],
      envFrom: [{ prefix: 'CM_', configMapRef: { name: 'cm' } }, { secretRef: { name: 'absent', optional: true } }],
      env: [
        { name: 'PASS', valueFrom: { secretKeyRef: { name: 'sec', key: 'pass' } } },
        { name: 'GREETING', value: 'hi $(CM_colour)' },
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'TEAM', valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
        { name: 'GONE', valueFrom: { configMapKeyRef: { name: 'cm', key: 'gone', optional: true } } },
      ],
      resources: { limits: { cpu: '1500m', memory: '64Mi' } },
    },
  )
  await whenPod(cluster, 'env', ({ status }) => status?.phase === 'Succeeded')
  const [env, args] = JSON.parse(await cluster.logs('env')) as [Record<string, string>, string[]]
  assert.deepEqual(args, ['hi blue', '$(GREETING)', '$(NOBODY)'])
  const { PASS, NAME, NODE, TEAM, CPU, MEMORY, CM_colour, FROM_PROGRAM, HOSTNAME } = env
  assert.deepEqual(
    { PASS, NAME, NODE, TEAM, CPU, MEMORY, CM_colour, FROM_PROGRAM, HOSTNAME },
    {
      PASS: 'tr0ub4dor',
      NAME: 'env',
      NODE: 'node-1',
      TEAM: '',
      CPU: '1500',
      MEMORY: '64',
      CM_colour: 'blue',
      FROM_PROGRAM: 'p',
      HOSTNAME: 'env',
    },
  )
  assert.equal(env.GONE, undefined)
  // Nothing of this process leaks into it.
  assert.deepEqual(
    Object.keys(env).filter((name) => /^npm_|NODE_TEST/.test(name)),
    [],
  )
})

test('kubelet: reports a missing Secret, and starts the container when it exists', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(
    cluster,
    'needy',
    FOREVER,
    {},
    {
      env: [{ name: 'PASS', valueFrom: { secretKeyRef: { name: 'late', key: 'pass' } } }],
    },
  )
  const waiting = await whenPod(cluster, 'needy', (pod) => containerOf(pod).state?.waiting?.message !== undefined)
  assert.deepEqual(containerOf(waiting).state?.waiting, {
    reason: 'CreateContainerConfigError',
    message: 'secret "late" not found',
  })
  await cluster.client.create(Secret, { metadata: { namespace: 'default', name: 'late' }, stringData: { pass: 'x' } })
  await whenPod(cluster, 'needy', isReady, 100)
})

for (const isolation of ['auto', 'off'] as const) {
  test(`kubelet: volumes are directories that follow their sources (isolation ${isolation})`, (t) =>
    testVolumes(t, isolation))
}

async function testVolumes(t: TestContext, isolation: 'auto' | 'off') {
  const cluster = await startCluster(t, { programs, isolation })
  const { client } = cluster
  const ref = { namespace: 'default', name: 'conf' }
  await client.create(ConfigMap, { metadata: ref, data: { 'app.ini': 'one' } })
  await client.create(Secret, { metadata: { namespace: 'default', name: 'keys' }, stringData: { key: 'shh' } })
  const script = `
    const fs = require('node:fs')
    const [config, secret, scratch, labels] = process.argv.slice(1)
    fs.writeFileSync(scratch + '/note', 'mine')
    console.log(fs.readFileSync(secret, 'utf8'), fs.readFileSync(labels, 'utf8'), process.env.CONFIG_DIR === require('node:path').join(process.env.ORRERY_ROOT, 'etc', 'app'))
    let last
    const look = () => {
      const now = fs.readFileSync(config.split('=')[1], 'utf8')
      if (now !== last) console.log('config', last = now)
    }
    look()
    setInterval(look, 5)`
  await createScript(
    cluster,
    'vol',
    script,
    {
      volumes: [
        { name: 'config', configMap: { name: 'conf' } },
        { name: 'secret', secret: { secretName: 'keys', items: [{ key: 'key', path: 'deep/inside' }] } },
        { name: 'scratch', emptyDir: {} },
        { name: 'about', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ],
    },
    {
      args: [script, 'config=/etc/app/app.ini', '/secrets/deep/inside', '/scratch', '/about/labels'],
      env: [{ name: 'CONFIG_DIR', value: '/etc/app' }],
      volumeMounts: [
        { name: 'config', mountPath: '/etc/app' },
        { name: 'secret', mountPath: '/secrets' },
        { name: 'scratch', mountPath: '/scratch' },
        { name: 'about', mountPath: '/about' },
      ],
    },
  )
  await eventually('it has read them', async () => (await cluster.logs('vol')).includes('config one'))
  assert.match(await cluster.logs('vol'), /^shh vol true\n/)
  await client.patch(ConfigMap, ref, { data: { 'app.ini': 'two' } })
  await eventually('it sees the change', async () => (await cluster.logs('vol')).includes('config two'))
  const pods = join(cluster.directory, 'pods')
  const [uid = ''] = await readdir(pods)
  assert.equal(await readFile(join(pods, uid, 'volumes/scratch/note'), 'utf8'), 'mine')
  await client.delete(Pod, { namespace: 'default', name: 'vol' })
  await eventually('nothing is left', async () => (await readdir(pods)).length === 0)
}

test('kubelet: a claim outlives its pods, and its data is deleted with the claim', async (t) => {
  const cluster = await startCluster(t, { programs, workloads: true })
  const { client } = cluster
  const claim = { namespace: 'default', name: 'data' }
  await eventually('there is a storage class', async () => (await client.list(StorageClass)).items.length > 0)
  const resources = { requests: { storage: '1Gi' } }
  await client.create(PersistentVolumeClaim, { metadata: claim, spec: { accessModes: ['ReadWriteOnce'], resources } })
  const run = async (name: string, script: string) => {
    const spec = {
      restartPolicy: 'Never' as const,
      containers: [
        {
          name: 'main',
          image: 'script',
          args: [script, '/data/file'],
          volumeMounts: [{ name: 'v', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
    }
    await client.create(Pod, { metadata: { namespace: 'default', name }, spec })
    await whenPod(cluster, name, ({ status }) => status?.phase === 'Succeeded', 100)
    const said = await cluster.logs(name)
    await client.delete(Pod, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
    return said
  }
  await run('writer', 'require("fs").writeFileSync(process.argv[1], "kept")')
  assert.equal(await run('reader', 'console.log(require("fs").readFileSync(process.argv[1], "utf8"))'), 'kept\n')
  const persistent = join(cluster.directory, 'persistent')
  assert.equal((await readdir(persistent)).length, 1)
  await client.delete(PersistentVolumeClaim, claim)
  await eventually('nothing is left of it', async () => {
    cluster.clock.advance(100)
    return (await readdir(persistent)).length === 0
  })
})

test('kubelet: a process reaches the API server with its service account', async (t) => {
  const cluster = await startCluster(t, { programs, listens: true })
  const script = `
    const fs = require('node:fs'), https = require('node:https')
    const dir = process.env.ORRERY_SERVICEACCOUNT_DIR
    const kubeconfig = JSON.parse(fs.readFileSync(process.env.KUBECONFIG, 'utf8'))
    https.get({
      host: process.env.KUBERNETES_SERVICE_HOST, port: process.env.KUBERNETES_SERVICE_PORT,
      path: '/apis/authentication.k8s.io/v1', ca: fs.readFileSync(dir + '/ca.crt'),
      headers: { authorization: 'Bearer ' + fs.readFileSync(dir + '/token', 'utf8') },
    }, (res) => res.resume() && console.log(res.statusCode, fs.readFileSync(dir + '/namespace', 'utf8'), kubeconfig.clusters[0].cluster.server))`
  await createScript(cluster, 'caller', script, { restartPolicy: 'Never' })
  await whenPod(cluster, 'caller', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('caller'), `200 default ${cluster.server}\n`)
})

test('kubelet: replaces a token before it expires', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(
    cluster,
    'tokens',
    FOREVER,
    {
      volumes: [
        {
          name: 'own',
          projected: { sources: [{ serviceAccountToken: { path: 'tok', audience: 'vault', expirationSeconds: 600 } }] },
        },
      ],
    },
    { volumeMounts: [{ name: 'own', mountPath: '/own' }] },
  )
  const pod = await whenPod(cluster, 'tokens', isReady)
  const file = join(cluster.directory, 'pods', pod.metadata.uid, 'volumes/own/tok')
  const before = await readFile(file, 'utf8')
  cluster.clock.advance(481_000)
  await eventually('it is another', async () => (await readFile(file, 'utf8')) !== before)
  const claims = JSON.parse(
    Buffer.from((await readFile(file, 'utf8')).split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>
  assert.deepEqual(claims.aud, ['vault'])
})

test('kubelet: restarts a failing process with backoff', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'loop', 'console.log("run"); process.exitCode = 1')
  const waits = (restarts: number) => (pod: Pod) =>
    containerOf(pod).restartCount === restarts && containerOf(pod).state?.waiting?.reason === 'CrashLoopBackOff'
  const first = await whenPod(cluster, 'loop', waits(1))
  assert.match(containerOf(first).state?.waiting?.message ?? '', /^back-off 10s /)
  assert.equal(first.status?.phase, 'Running')
  cluster.clock.advance(11_000)
  // The kubelet sets its timer after it has written the status, and therefore perhaps only now.
  const passing = setInterval(() => cluster.clock.advance(10), 5)
  t.after(() => clearInterval(passing))
  const second = await whenPod(cluster, 'loop', waits(2))
  clearInterval(passing)
  assert.match(containerOf(second).state?.waiting?.message ?? '', /^back-off 20s /)
  cluster.clock.advance(11_000)
  const still = await cluster.client.get(Pod, { namespace: 'default', name: 'loop' })
  assert.equal(containerOf(still).restartCount, 2)
  assert.equal(await cluster.logs('loop', '?previous=true'), 'run\n')
  await whenEvent(cluster, 'BackOff', /^Back-off restarting failed container main/)
})

test('kubelet: stops a process with SIGTERM, and with SIGKILL if it does not end', async (t) => {
  const cluster = await startCluster(t, { programs })
  const { client, clock } = cluster
  await createScript(cluster, 'polite', `process.on('SIGTERM', () => process.exit(0)); console.log('up'); ${FOREVER}`)
  await createScript(cluster, 'deaf', `process.on('SIGTERM', () => console.log('no')); console.log('up'); ${FOREVER}`)
  for (const name of ['polite', 'deaf']) {
    await eventually(`${name} is up`, async () => (await cluster.logs(name)).includes('up'))
    await client.delete(Pod, { namespace: 'default', name })
  }
  const isThere = async (name: string) => (await client.find(Pod, { namespace: 'default', name })) !== undefined
  await eventually('the polite one is gone', async () => !(await isThere('polite')))
  await eventually('the deaf one has heard', async () => (await cluster.logs('deaf')).includes('no'))
  assert.ok(await isThere('deaf'))
  clock.advance(31_000)
  await eventually('the deaf one is gone', async () => !(await isThere('deaf')))
})

test('kubelet: processes that a process leaves behind end with it', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const cluster = await startCluster(t, { programs, isolation: 'off' })
  const stray = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true })
    child.once('spawn', () => console.log(child.pid))
    setInterval(() => {}, 1000)`
  await createScript(cluster, 'parent', stray)
  await whenPod(cluster, 'parent', isReady)
  let pid = 0
  await eventually('it has printed the PID of its child', async () => {
    pid = Number(await cluster.logs('parent'))
    return pid > 0
  })
  assert.equal(await isAlive(pid), true)
  await cluster.client.delete(Pod, { namespace: 'default', name: 'parent' }, { gracePeriodSeconds: 1 })
  await eventually('the pod is gone', async () => {
    cluster.clock.advance(500)
    return (await cluster.client.find(Pod, { namespace: 'default', name: 'parent' })) === undefined
  })
  assert.equal(await isAlive(pid), false)
})

test('kubelet: init containers run first, and a failing one fails a pod that never restarts', async (t) => {
  const cluster = await startCluster(t, { programs })
  const volumes = [{ name: 'shared', emptyDir: {} }]
  const volumeMounts = [{ name: 'shared', mountPath: '/shared' }]
  const write = 'require("fs").writeFileSync(process.argv[1], "prepared")'
  const read = 'console.log(require("fs").readFileSync(process.argv[1], "utf8"))'
  await createPod(cluster, 'staged', {
    restartPolicy: 'Never',
    initContainers: [{ name: 'first', image: 'script', args: [write, '/shared/file'], volumeMounts }],
    containers: [{ name: 'main', image: 'script', args: [read, '/shared/file'], volumeMounts }],
    volumes,
  })
  await createPod(cluster, 'doomed', {
    restartPolicy: 'Never',
    initContainers: [{ name: 'first', image: 'script', args: ['process.exitCode = 9'] }],
    containers: [{ name: 'main', image: 'script', args: [read] }],
  })
  await whenPod(cluster, 'staged', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('staged'), 'prepared\n')
  const doomed = await whenPod(cluster, 'doomed', ({ status }) => status?.phase === 'Failed')
  assert.equal(containerOf(doomed, 'first').state?.terminated?.exitCode, 9)
  assert.equal(containerOf(doomed).state?.waiting?.reason, 'PodInitializing')
})

test('kubelet: restarts processes after a restart of the node, and counts them', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'server', `console.log('up'); ${FOREVER}`)
  await whenPod(cluster, 'server', isReady)
  await cluster.restart()
  const pod = await whenPod(cluster, 'server', (found) => isReady(found) && containerOf(found).restartCount === 1)
  const { terminated } = containerOf(pod).lastState ?? {}
  assert.equal(terminated?.exitCode, 255)
  assert.equal(terminated?.reason, 'Unknown')
})

test('kubelet: rejects a command that the program does not offer', async (t) => {
  const cluster = await startCluster(t, {
    programs: {
      script: { ...SCRIPT, commands: { '/bin/greet': [process.execPath, '-e', 'console.log("hi", process.argv[1])'] } },
    },
  })
  await createScript(cluster, 'bad', '', { restartPolicy: 'Never' }, { command: ['/bin/sh', '-c', 'true'] })
  await createScript(cluster, 'good', 'you', { restartPolicy: 'Never' }, { command: ['/bin/greet'] })
  const bad = await whenPod(cluster, 'bad', (pod) => containerOf(pod).state?.waiting?.reason === 'RunContainerError')
  assert.match(containerOf(bad).state?.waiting?.message ?? '', /does not allow the command "\/bin\/sh"/)
  await whenPod(cluster, 'good', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('good'), 'hi you\n')
})

test('kubelet: a pod may only use allowed directories of the machine', async (t) => {
  const cluster = await startCluster(t, { programs })
  const open = join(cluster.directory, 'open')
  await mkdir(open)
  await writeFile(join(open, 'file'), 'content')
  await cluster.restart({ hostPaths: [open] })
  const spec = (path: string) => ({ restartPolicy: 'Never' as const, volumes: [{ name: 'host', hostPath: { path } }] })
  const script = 'console.log(require("fs").readFileSync(process.argv[1], "utf8"))'
  const container = { args: [script, '/host/file'], volumeMounts: [{ name: 'host', mountPath: '/host' }] }
  await createScript(cluster, 'inside', '', spec(open), container)
  await createScript(cluster, 'outside', '', spec('/etc'), container)
  await whenPod(cluster, 'inside', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('inside'), 'content\n')
  await whenEvent(cluster, 'FailedMount', /does not allow pods to mount \/etc/)
  const outside = await cluster.client.get(Pod, { namespace: 'default', name: 'outside' })
  assert.equal(containerOf(outside).state?.waiting?.reason, 'ContainerCreating')
})

test('kubelet: programs can be registered in a file and in a ConfigMap', async (t) => {
  const ref = { namespace: 'kube-system', name: 'programs' }
  const cluster = await startCluster(t, { programConfigMap: ref })
  const programFile = join(cluster.directory, 'programs.json')
  await writeFile(
    programFile,
    JSON.stringify({ 'example.com/filed': { command: [process.execPath, '-e', 'console.log("file")'] } }),
  )
  await cluster.restart({ programFile })
  const mapped = { 'example.com/map*': { command: [process.execPath, '-e', 'console.log("map")'] } }
  await cluster.client.create(ConfigMap, { metadata: ref, data: { any: JSON.stringify(mapped), broken: '{' } })
  const pod = (image: string) => ({ restartPolicy: 'Never' as const, containers: [{ name: 'main', image }] })
  await createPod(cluster, 'filed', pod('example.com/filed:v3'))
  await whenPod(cluster, 'filed', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('filed'), 'file\n')
  await createPod(cluster, 'mapped', pod('example.com/mapped'))
  await whenPod(cluster, 'mapped', ({ status }) => status?.phase === 'Succeeded')
  assert.equal(await cluster.logs('mapped'), 'map\n')
})

test('kubelet: reports the resource usage of the node and its processes', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'busy', FOREVER)
  await createPod(cluster, 'played', { containers: [{ name: 'main', image: 'nginx' }] })
  await whenPod(cluster, 'busy', isReady)
  await whenPod(cluster, 'played', isReady, 50)
  interface Metrics {
    items: {
      metadata: { name: string }
      usage: Record<string, string>
      containers: { usage: Record<string, string> }[]
    }[]
  }
  const base = '/apis/metrics.k8s.io/v1beta1'
  const nodes = await cluster.client.getJson<Metrics>(`${base}/nodes`)
  assert.match(nodes.items[0]?.usage.memory ?? '', /^[1-9]\d*Ki$/)
  const pods = await cluster.client.getJson<Metrics>(`${base}/namespaces/default/pods`)
  const memory = new Map(pods.items.map(({ metadata, containers }) => [metadata.name, containers[0]?.usage.memory]))
  assert.equal(memory.get('played'), '0Ki')
  if (process.platform === 'linux') assert.match(memory.get('busy') ?? '', /^[1-9]\d*Ki$/)
})
