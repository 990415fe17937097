import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Pod } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import {
  containerOf,
  createScript,
  FOREVER,
  hasEvent,
  isReady,
  SCRIPT,
  startCluster,
  whenEvent,
  whenPod,
} from './node-cluster.js'

/** Runs scripts as containers, also for probes and hooks. */
const programs = { script: { ...SCRIPT, commands: { run: [process.execPath, '-e'] } } }
const ref = (name: string) => ({ namespace: 'default', name })

/** A script that serves the content of a file, and prints its port. */
const SERVER = `
  const http = require('node:http')
  let code = 500
  const server = http.createServer((req, res) => { res.statusCode = req.url === '/flip' ? (code = 200) : code; res.end() })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

test('kubelet probes: readiness makes a pod ready, and a failing liveness probe restarts it', async (t) => {
  const cluster = await startCluster(t, { programs, isolation: 'off' })
  const flag = `${cluster.directory}/flag`
  const present = {
    exec: { command: ['run', 'process.exitCode = require("fs").existsSync(process.argv[1]) ? 0 : 1', flag] },
  }
  await createScript(
    cluster,
    'probed',
    FOREVER,
    {},
    {
      readinessProbe: { ...present, periodSeconds: 1, timeoutSeconds: 60 },
      livenessProbe: {
        exec: {
          command: ['run', 'process.exitCode = require("fs").existsSync(process.argv[1]) ? 1 : 0', `${flag}-dead`],
        },
        periodSeconds: 5,
        failureThreshold: 2,
        timeoutSeconds: 60,
      },
    },
  )
  const unready = await whenPod(cluster, 'probed', ({ status }) => status?.phase === 'Running')
  assert.equal(containerOf(unready).started, true)
  assert.equal(isReady(unready), false)
  await eventually('it is reported as unhealthy', async () => {
    cluster.clock.advance(100)
    return hasEvent(cluster, 'Unhealthy', /^Readiness probe failed: /)
  })
  await writeFile(flag, '')
  await whenPod(cluster, 'probed', isReady, 100)
  await writeFile(`${flag}-dead`, '')
  const killed = await whenPod(cluster, 'probed', (pod) => containerOf(pod).restartCount === 1, 500)
  assert.equal(containerOf(killed).lastState?.terminated?.signal, 15)
  assert.equal(containerOf(killed).lastState?.terminated?.exitCode, 143)
  await whenEvent(cluster, 'Killing', /^Container main failed liveness probe, will be restarted$/)
})

test('kubelet probes: an HTTP probe uses the port that the process listens on', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'first', SERVER)
  let port = 0
  await whenPod(cluster, 'first', isReady)
  await eventually('it prints its port', async () => {
    port = Number(await cluster.logs('first'))
    return port > 0
  })
  const probe = { httpGet: { path: '/ready', port }, periodSeconds: 1, timeoutSeconds: 60 }
  await createScript(
    cluster,
    'second',
    FOREVER,
    {},
    { readinessProbe: probe, startupProbe: { tcpSocket: { port }, timeoutSeconds: 60 } },
  )
  await whenPod(cluster, 'second', (pod) => containerOf(pod).started === true, 100)
  await eventually('it is reported as unhealthy', async () => {
    cluster.clock.advance(500)
    return hasEvent(cluster, 'Unhealthy', /^Readiness probe failed: HTTP probe failed with statuscode: 500$/)
  })
  await fetch(`http://127.0.0.1:${port}/flip`)
  await whenPod(cluster, 'second', isReady, 100)
})

test('kubelet probes: a container that never starts is killed', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(
    cluster,
    'slow',
    FOREVER,
    { restartPolicy: 'Never' },
    {
      startupProbe: {
        exec: { command: ['run', 'process.exitCode = 1'] },
        periodSeconds: 1,
        failureThreshold: 2,
        timeoutSeconds: 60,
      },
    },
  )
  const pod = await whenPod(cluster, 'slow', ({ status }) => status?.phase === 'Failed', 100)
  assert.equal(containerOf(pod).state?.terminated?.signal, 15)
})

test('kubelet hooks: run after the start and before the end', async (t) => {
  const cluster = await startCluster(t, { programs, isolation: 'off' })
  const mark = `${cluster.directory}/mark`
  const append = 'require("fs").appendFileSync(process.argv[1], process.argv[2])'
  await createScript(
    cluster,
    'hooked',
    FOREVER,
    {},
    {
      lifecycle: {
        postStart: { exec: { command: ['run', append, mark, 'started '] } },
        preStop: { exec: { command: ['run', append, mark, 'stopping'] } },
      },
    },
  )
  await whenPod(cluster, 'hooked', isReady)
  await cluster.client.delete(Pod, ref('hooked'))
  await eventually('it is gone', async () => (await cluster.client.find(Pod, ref('hooked'))) === undefined)
  assert.equal(await readFile(mark, 'utf8'), 'started stopping')
})

test('kubelet hooks: a failing hook ends the container', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(
    cluster,
    'hooked',
    FOREVER,
    { restartPolicy: 'Never' },
    {
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'true'] } } },
    },
  )
  await whenPod(cluster, 'hooked', ({ status }) => status?.phase === 'Failed')
  await whenEvent(
    cluster,
    'FailedPostStartHook',
    /^PostStartHook failed: the node's program for this image does not allow the command "sh"/,
  )
})

test('kubelet: ends a pod at its activeDeadlineSeconds', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'endless', FOREVER, { activeDeadlineSeconds: 60 })
  await whenPod(cluster, 'endless', isReady)
  cluster.clock.advance(61_000)
  // The first process of a container ignores a SIGTERM that it does not handle: the grace period has to pass.
  const pod = await whenPod(cluster, 'endless', ({ status }) => status?.phase === 'Failed', 1_000)
  assert.equal(pod.status?.reason, 'DeadlineExceeded')
})

test('kubelet: reports the termination message of a container', async (t) => {
  const cluster = await startCluster(t, { programs })
  const write = 'require("fs").writeFileSync("/dev/termination-log", "no fuel"); process.exitCode = 2'
  await createScript(cluster, 'told', write, { restartPolicy: 'Never' })
  await createScript(
    cluster,
    'logged',
    'console.log("lost"); process.exitCode = 3',
    { restartPolicy: 'Never' },
    {
      terminationMessagePolicy: 'FallbackToLogsOnError',
    },
  )
  const told = await whenPod(cluster, 'told', ({ status }) => status?.phase === 'Failed')
  assert.equal(containerOf(told).state?.terminated?.message, 'no fuel')
  const logged = await whenPod(cluster, 'logged', ({ status }) => status?.phase === 'Failed')
  assert.equal(containerOf(logged).state?.terminated?.message, 'lost\n')
})
