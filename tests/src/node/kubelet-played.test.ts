import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap, Lease, Node, Pod } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { startNode } from '@orrery/node'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { containerOf, createPod, isReady, NODE_NAME, SCRIPT, startCluster, whenEvent, whenPod } from './node-cluster.js'

test('kubelet: registers its node, is ready, and renews its lease', async (t) => {
  const { client, clock } = await startCluster(t, { capacity: { cpu: '64' } })
  let node: Node | undefined
  await eventually('the node is ready', async () => {
    node = await client.find(Node, { name: NODE_NAME })
    return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  })
  assert.equal(node?.metadata.labels?.['kubernetes.io/hostname'], NODE_NAME)
  assert.equal(node?.status?.capacity?.cpu, '64')
  assert.equal(node?.status?.allocatable?.cpu, '64')
  assert.match(node?.status?.nodeInfo?.kubeletVersion ?? '', /^v1\./)
  assert.deepEqual(
    node?.status?.addresses?.map(({ type }) => type),
    ['InternalIP', 'Hostname'],
  )
  const lease = { namespace: 'kube-node-lease', name: NODE_NAME }
  await eventually('the lease is held', async () => (await client.get(Lease, lease)).spec?.renewTime !== undefined)
  const { spec, metadata } = await client.get(Lease, lease)
  assert.equal(spec?.holderIdentity, NODE_NAME)
  assert.equal(spec?.leaseDurationSeconds, 40)
  assert.equal(metadata.ownerReferences?.[0]?.kind, 'Node')
  await eventually('the lease is renewed', async () => {
    clock.advance(1_000)
    return (await client.get(Lease, lease)).spec?.renewTime !== spec?.renewTime
  })
})

test('kubelet: a deleted node is registered again', async (t) => {
  const { client } = await startCluster(t)
  const { uid } = (await client.get(Node, { name: NODE_NAME })).metadata
  await client.delete(Node, { name: NODE_NAME })
  await eventually('it is there again', async () => {
    const node = await client.find(Node, { name: NODE_NAME })
    return node !== undefined && node.metadata.uid !== uid && node.status?.conditions !== undefined
  })
})

test('kubelet: a played pod is created, runs, is ready, and ends when deleted', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'web', { containers: [{ name: 'main', image: 'nginx:1.25' }] })
  const waiting = await whenPod(cluster, 'web', ({ status }) => status?.containerStatuses !== undefined)
  assert.equal(waiting.status?.phase, 'Pending')
  assert.equal(containerOf(waiting).state?.waiting?.reason, 'ContainerCreating')
  const pod = await whenPod(cluster, 'web', isReady, 50)
  const { phase, podIP, podIPs, hostIP, startTime, conditions } = pod.status ?? {}
  assert.equal(phase, 'Running')
  assert.match(podIP ?? '', /^10\.244\./)
  assert.deepEqual(podIPs, [{ ip: podIP }])
  assert.ok(hostIP !== undefined && startTime !== undefined)
  assert.deepEqual(
    conditions?.map(({ type, status }) => `${type}=${status}`),
    [
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
      'orrery.dev/Played=True',
    ],
  )
  const played = conditions?.find(({ type }) => type === 'orrery.dev/Played')
  assert.equal(played?.reason, 'NoProgram')
  assert.match(played?.message ?? '', /^No program of this node is registered for the image of: main \(nginx:1\.25\)\./)
  await whenEvent(cluster, 'Played', /^No program of this node is registered for image "nginx:1\.25": no process runs/)
  const status = containerOf(pod)
  assert.equal(status.image, 'docker.io/library/nginx:1.25')
  assert.match(status.imageID, /^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/)
  assert.match(status.containerID ?? '', /^orrery:\/\/[0-9a-f]{64}$/)
  assert.ok(status.ready && status.started && status.state?.running !== undefined)
  assert.match(await cluster.logs('web'), /is played: no program runs for the image nginx:1.25/)
  await cluster.client.delete(Pod, { namespace: 'default', name: 'web' })
  await eventually(
    'it is gone',
    async () => (await cluster.client.find(Pod, { namespace: 'default', name: 'web' })) === undefined,
  )
})

test('kubelet: pods that name objects which cannot exist do not hold up others', async (t) => {
  const cluster = await startCluster(t)
  const containers = [{ name: 'main', image: 'one' }]
  // More pods of each than the node starts at a time.
  for (const [index, name] of ['a,b', 'a=b', 'x'.repeat(300_000)].entries()) {
    for (let pod = 0; pod < 20; pod++) {
      const volumes = [{ name: 'map', configMap: { name } }]
      await createPod(cluster, `waits-${index}-${pod}`, { containers, volumes })
    }
  }
  await whenEvent(cluster, 'FailedMount', /configmap "a,b" not found/)
  await createPod(cluster, 'other', { containers })
  await whenPod(cluster, 'other', isReady, 100)
})

test('kubelet: rejects a pod whose host port is in use', async (t) => {
  const cluster = await startCluster(t)
  const container = { name: 'main', image: 'one', ports: [{ containerPort: 80, hostPort: 8080 }] }
  await createPod(cluster, 'first', { containers: [container] })
  await whenPod(cluster, 'first', isReady, 100)
  await createPod(cluster, 'second', { containers: [container] })
  const second = await whenPod(cluster, 'second', ({ status }) => status?.phase === 'Failed')
  assert.equal(second.status?.reason, 'NodePorts')
  await cluster.restart()
  await whenPod(cluster, 'first', isReady, 100)
})

test('kubelet: rejects a pod for another operating system', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'foreign', { os: { name: 'windows' }, containers: [{ name: 'main', image: 'one' }] })
  const pod = await whenPod(cluster, 'foreign', ({ status }) => status?.phase === 'Failed')
  assert.equal(pod.status?.reason, 'PodOSNotSupported')
  await whenEvent(cluster, 'PodOSNotSupported', /doesn't match node OS/)
})

test('kubelet: a played pod of a Job succeeds after a moment', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'job', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] })
  const pod = await whenPod(cluster, 'job', ({ status }) => status?.phase === 'Succeeded', 100)
  const { terminated } = containerOf(pod).state ?? {}
  assert.equal(terminated?.exitCode, 0)
  assert.equal(terminated?.reason, 'Completed')
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  assert.equal(ready?.reason, 'PodCompleted')
})

test('kubelet: annotations control how a pod is played', async (t) => {
  const cluster = await startCluster(t)
  const containers = [{ name: 'main', image: 'app' }]
  const annotated = (annotations: Record<string, string>) => ({ annotations })
  await createPod(cluster, 'fails', { restartPolicy: 'Never', containers }, annotated({ 'orrery.dev/play-exit': '3' }))
  await createPod(cluster, 'unready', { containers }, annotated({ 'orrery.dev/play-ready': 'never' }))
  await createPod(cluster, 'unpulled', { containers }, annotated({ 'orrery.dev/play-pull': 'fail' }))
  await createPod(cluster, 'crashes', { containers }, annotated({ 'orrery.dev/play-exit': '1' }))
  const failed = await whenPod(cluster, 'fails', ({ status }) => status?.phase === 'Failed', 100)
  assert.equal(containerOf(failed).state?.terminated?.exitCode, 3)
  const unready = await whenPod(cluster, 'unready', ({ status }) => status?.phase === 'Running', 100)
  assert.equal(isReady(unready), false)
  await whenPod(cluster, 'unpulled', (pod) => containerOf(pod).state?.waiting?.reason === 'ImagePullBackOff', 100)
  const crashed = await whenPod(
    cluster,
    'crashes',
    (pod) => containerOf(pod).restartCount >= 1 && containerOf(pod).state?.waiting !== undefined,
    100,
  )
  const { state, lastState } = containerOf(crashed)
  assert.equal(state?.waiting?.reason, 'CrashLoopBackOff')
  assert.match(state?.waiting?.message ?? '', /^back-off 10s restarting failed container=main pod=crashes_default\(/)
  assert.equal(lastState?.terminated?.exitCode, 1)
  assert.equal(crashed.status?.phase, 'Running')
  // Live: a removed annotation no longer counts.
  await cluster.client.patch(
    Pod,
    { namespace: 'default', name: 'unready' },
    { metadata: { annotations: { 'orrery.dev/play-ready': null } } },
  )
  await whenPod(cluster, 'unready', isReady)
})

test('kubelet: plays init containers one after the other', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'staged', {
    initContainers: [
      { name: 'first', image: 'one' },
      { name: 'helper', image: 'two', restartPolicy: 'Always' },
    ],
    containers: [{ name: 'main', image: 'three' }],
  })
  const early = await whenPod(cluster, 'staged', ({ status }) => status?.containerStatuses !== undefined)
  assert.equal(containerOf(early).state?.waiting?.reason, 'PodInitializing')
  const initialized = early.status?.conditions?.find(({ type }) => type === 'Initialized')
  assert.equal(initialized?.message, 'containers with incomplete status: [first helper]')
  const isAtWork = (pod: Pod) => containerOf(pod, 'first').state?.running !== undefined
  const midway = await whenPod(cluster, 'staged', isAtWork, 100)
  assert.equal(containerOf(midway, 'first').ready, false)
  const pod = await whenPod(cluster, 'staged', isReady, 100)
  assert.equal(containerOf(pod, 'first').state?.terminated?.reason, 'Completed')
  assert.ok(containerOf(pod, 'first').ready)
  assert.ok(containerOf(pod, 'helper').ready)
})

test('kubelet: a played pod waits for its dependencies', async (t) => {
  const cluster = await startCluster(t)
  const { client } = cluster
  await createPod(cluster, 'needy', {
    containers: [{ name: 'main', image: 'app', volumeMounts: [{ name: 'config', mountPath: '/etc/app' }] }],
    volumes: [{ name: 'config', configMap: { name: 'settings' } }],
  })
  await whenPod(cluster, 'needy', ({ status }) => status?.containerStatuses !== undefined)
  cluster.clock.advance(1_000)
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' }, data: { a: 'b' } })
  await whenPod(cluster, 'needy', isReady, 50)
})

test('kubelet: played pods continue after a restart of the node', async (t) => {
  const cluster = await startCluster(t)
  await createPod(cluster, 'web', { containers: [{ name: 'main', image: 'nginx' }] })
  const before = await whenPod(cluster, 'web', isReady, 50)
  await cluster.restart()
  await createPod(cluster, 'other', { containers: [{ name: 'main', image: 'nginx' }] })
  const other = await whenPod(cluster, 'other', isReady, 50)
  const after = await cluster.client.get(Pod, { namespace: 'default', name: 'web' })
  assert.deepEqual(after.status, before.status)
  assert.notEqual(other.status?.podIP, after.status?.podIP)
})

test('kubelet: two nodes run only their own pods', async (t) => {
  const cluster = await startCluster(t)
  const { client, clock, gate } = cluster
  const second = await startNode({
    client,
    clock,
    gate,
    name: 'node-2',
    directory: await temporaryDirectory(t),
    podCidr: '10.245.0.0/24',
  })
  afterwards(t, () => second.stop())
  const containers = [{ name: 'main', image: 'nginx' }]
  await createPod(cluster, 'one', { containers })
  await createPod(cluster, 'two', { nodeName: 'node-2', containers })
  assert.match((await whenPod(cluster, 'one', isReady, 50)).status?.podIP ?? '', /^10\.244\./)
  assert.match((await whenPod(cluster, 'two', isReady, 50)).status?.podIP ?? '', /^10\.245\./)
  assert.match(await cluster.logs('two'), /is played/)
  const nodes = await client.list(Node)
  const hostnames = nodes.items.map(({ status }) => status?.addresses?.find(({ type }) => type === 'Hostname')?.address)
  assert.deepEqual(hostnames.sort(), ['node-1', 'node-2'])
})

for (const image of ['script', 'played']) {
  test(`kubelet: a pod (${image}) past its activeDeadlineSeconds fails, though its containers exit with 0`, async (t) => {
    const script = "process.on('SIGTERM', () => process.exit(0)); console.log('up'); setInterval(() => {}, 1e6)"
    const cluster = await startCluster(t, { programs: { script: SCRIPT } })
    const container = { name: 'main', image, ...(image === 'script' && { args: [script] }) }
    await createPod(cluster, 'late', { activeDeadlineSeconds: 60, containers: [container] })
    await whenPod(cluster, 'late', isReady, 50)
    if (image === 'script') {
      await eventually('it handles SIGTERM', async () => (await cluster.logs('late')).includes('up'))
    }
    cluster.clock.advance(61_000)
    const { status } = await whenPod(cluster, 'late', ({ status: found }) => found?.phase === 'Failed')
    assert.equal(status?.reason, 'DeadlineExceeded')
    assert.equal(status?.message, 'Pod was active on the node longer than the specified deadline')
    assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0)
    await whenEvent(cluster, 'DeadlineExceeded', /^Pod was active on the node longer than the specified deadline$/)
  })
}

test('kubelet: a pod that succeeded before its activeDeadlineSeconds stays Succeeded without a reason', async (t) => {
  const cluster = await startCluster(t, { programs: { script: SCRIPT } })
  const container = { name: 'main', image: 'script', args: ['0'] }
  await createPod(cluster, 'early', { activeDeadlineSeconds: 60, restartPolicy: 'Never', containers: [container] })
  await whenPod(cluster, 'early', ({ status }) => status?.phase === 'Succeeded')
  cluster.clock.advance(61_000)
  const ref = { namespace: 'default', name: 'early' }
  await cluster.client.patch(Pod, ref, { metadata: { labels: { looked: 'at' } } })
  await createPod(cluster, 'next', { containers: [{ name: 'main', image: 'nginx' }] })
  await whenPod(cluster, 'next', isReady, 50)
  const { status } = await cluster.client.get(Pod, ref)
  assert.equal(status?.phase, 'Succeeded')
  assert.equal(status?.reason, undefined)
})

test('kubelet: a pod whose image has a program has no condition that it is played', async (t) => {
  const cluster = await startCluster(t, { programs: { script: SCRIPT } })
  const container = { name: 'main', image: 'script', args: ['setInterval(() => {}, 1e6)'] }
  await createPod(cluster, 'real', { containers: [container] })
  const pod = await whenPod(cluster, 'real', isReady)
  assert.ok(!pod.status?.conditions?.some(({ type }) => type === 'orrery.dev/Played'))
})
