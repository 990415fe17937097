import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pod } from '@orrery/kinds'
import { isBadRequest, isInvalid, StatusError } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { createPod, createScript, isReady, type NodeCluster, SCRIPT, startCluster, whenPod } from './node-cluster.js'

const programs = { script: SCRIPT }

async function failure(cluster: NodeCluster, pod: string, query: string): Promise<StatusError> {
  const text = await cluster.logs(pod, query)
  return new StatusError(JSON.parse(text))
}

test('kubelet logs: return the tail, a part, and timestamps', async (t) => {
  const cluster = await startCluster(t, { programs })
  await createScript(cluster, 'count', 'for (let i = 1; i <= 2000; i++) console.log("line " + i)', {
    restartPolicy: 'Never',
  })
  await whenPod(cluster, 'count', ({ status }) => status?.phase === 'Succeeded')
  assert.equal((await cluster.logs('count')).split('\n').length, 2001)
  assert.equal(await cluster.logs('count', '?tailLines=2'), 'line 1999\nline 2000\n')
  assert.equal(await cluster.logs('count', '?tailLines=0'), '')
  assert.equal(await cluster.logs('count', '?limitBytes=9'), 'line 1\nli')
  assert.match(await cluster.logs('count', '?tailLines=1&timestamps=true'), /^\d{4}-\d\d-\d\dT[\d:.]+Z line 2000\n$/)
  cluster.clock.advance(60_000)
  assert.equal(await cluster.logs('count', '?sinceSeconds=10'), '')
  assert.equal(await cluster.logs('count', '?sinceSeconds=120&tailLines=1'), 'line 2000\n')
})

test('kubelet logs: follow until the container ends', async (t) => {
  const cluster = await startCluster(t, { programs })
  const script = `process.on('SIGTERM', () => { console.log('down'); process.exit(0) }); console.log('up'); setInterval(() => {}, 1e6)`
  await createScript(cluster, 'server', script)
  await whenPod(cluster, 'server', isReady)
  const path = '/api/v1/namespaces/default/pods/server/log?follow=true'
  const response = await cluster.client.raw({ method: 'GET', path })
  let text = ''
  const followed = (async () => {
    for await (const piece of response.body) text += Buffer.from(piece).toString('utf8')
  })()
  await eventually('the first line', () => text === 'up\n')
  await cluster.client.delete(Pod, { namespace: 'default', name: 'server' })
  await followed
  assert.equal(text, 'up\ndown\n')
})

test('kubelet logs: distinguish a container without output from one that never starts', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'web', { containers: [{ name: 'main', image: 'nginx' }] })
  await whenPod(cluster, 'web', ({ status }) => status?.containerStatuses !== undefined)
  const waiting = await failure(cluster, 'web', '')
  assert.ok(isBadRequest(waiting))
  assert.equal(waiting.message, 'container "main" in pod "web" is waiting to start: ContainerCreating')
  await whenPod(cluster, 'web', isReady, 50)
  const previous = await failure(cluster, 'web', '?previous=true')
  assert.equal(previous.message, 'previous terminated container "main" in pod "web" not found')
  assert.ok(isInvalid(await failure(cluster, 'web', '?tailLines=-1')))
  assert.ok(isInvalid(await failure(cluster, 'web', '?sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z')))
})

test('kubelet logs: report what an embedded node does not support', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'web', { containers: [{ name: 'main', image: 'nginx' }] })
  await whenPod(cluster, 'web', isReady, 50)
  const path = '/api/v1/namespaces/default/pods/web/proxy'
  const response = await cluster.client.raw({ method: 'POST', path })
  let text = ''
  for await (const piece of response.body) text += Buffer.from(piece).toString('utf8')
  const error = new StatusError(JSON.parse(text))
  assert.ok(isBadRequest(error))
  assert.match(error.message, /is on an embedded node, which has no proxy/)
})
