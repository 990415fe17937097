import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { CoreEvent } from '@orrery/kinds'
import { Informers } from '@orrery/kube'
import { reportOf, reportTakenNames } from './cluster-reports.js'

test('reportTakenNames: reports which cluster an agent may not join as, and why', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = server.client()
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

function cluster(hubAcceptsClient: boolean, conditions: Readonly<Record<string, string>>): ManagedCluster {
  const list = Object.entries(conditions).map(([type, status]) => ({ type, status, message: `${type} is ${status}` }))
  return { metadata: { name: 'c' }, spec: { hubAcceptsClient }, status: { conditions: list } } as never
}

test('reportOf: a denied cluster is not accepted, whatever its earlier state', () => {
  const before = { HubAcceptedManagedCluster: 'False', ManagedClusterJoined: 'True' }
  const denied = { name: 'c', phase: 'denied', isAccepted: false, detail: 'run `orrery accept --clusters c`' }
  assert.deepEqual(reportOf(cluster(false, before)), denied)
  assert.deepEqual(reportOf(cluster(false, { ...before, ManagedClusterConditionAvailable: 'True' })), denied)
  assert.deepEqual(reportOf(cluster(false, {})), { name: 'c', phase: 'joining', isAccepted: false })
})

test('reportOf: a cluster that the hub fails to accept is unavailable, with the reason', () => {
  const detail = 'HubAcceptedManagedCluster is False'
  assert.deepEqual(reportOf(cluster(true, { HubAcceptedManagedCluster: 'False' })), {
    name: 'c',
    phase: 'unavailable',
    isAccepted: false,
    detail,
  })
})
