import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { Informers, KubeClient } from '@orrery/kube'
import { CoreEvent } from '@orrery/kube/kinds'
import { reportTakenNames } from './clusterreports.js'

test('reportTakenNames: tells which cluster an agent may not join as, and why', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = new KubeClient(server.client())
  const record = (name: string, reason: string, at: Date) =>
    client.create(CoreEvent, {
      metadata: { namespace: 'default', name: `${name}.${reason.toLowerCase()}` },
      involvedObject: {
        apiVersion: 'cluster.open-cluster-management.io/v1',
        kind: 'ManagedCluster',
        name,
        namespace: 'default',
      },
      reason,
      message: `${name} is there and alive`,
      type: 'Warning',
      firstTimestamp: at.toISOString(),
      lastTimestamp: at.toISOString(),
      reportingComponent: 'test',
      reportingInstance: 'test',
    } as never)
  const start = new Date(Date.now() + 60_000)
  await record('earlier', 'ManagedClusterNameTaken', new Date(start.getTime() - 30_000))
  await record('unrelated', 'ManagedClusterAccepted', start)
  await record('cluster2', 'ManagedClusterNameTaken', start)
  const informers = new Informers(client)
  t.after(() => informers.close())
  const told = await new Promise<string[]>((resolve) => {
    const heard: string[] = []
    reportTakenNames(informers, start, (cluster, detail) => {
      heard.push(`${cluster}: ${detail}`)
      if (cluster === 'cluster3') resolve(heard)
      else void record('cluster3', 'ManagedClusterNameTaken', start)
    })
  })
  assert.deepEqual(told, [
    'cluster2: ManagedClusterNameTaken: cluster2 is there and alive',
    'cluster3: ManagedClusterNameTaken: cluster3 is there and alive',
  ])
})
