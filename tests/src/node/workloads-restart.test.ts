import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Endpoints,
  Job,
  type Kind,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  StatefulSet,
} from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { namespace, Spoke, startSpoke, template } from './spoke.js'

const KINDS: readonly Kind<ApiObject, object>[] = [
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  EndpointSlice,
  Job,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  StatefulSet,
]

async function versions({ client }: Spoke): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const kind of KINDS) {
    for (const { metadata } of (await client.list(kind)).items) {
      found[`${kind.kind} ${keyOf(metadata)}`] = metadata.resourceVersion
    }
  }
  return found
}

const isIdle = ({ group }: Spoke) =>
  group.health.every(({ state, ready, running }) => state === 'running' && ready === 0 && running === 0)

test('workload controllers: write nothing after a restart without changes', async (t) => {
  const play = ({ metadata }: Pod) => (metadata.labels?.app === 'work' ? 'Succeeded' : 'Running')
  const spoke = await startSpoke(t, { nodes: ['node-1', 'node-2'], play })
  const { client } = spoke
  const workload = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app) })
  const once = { ...template('work'), spec: { ...template('work').spec, restartPolicy: 'Never' as const } }
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
  }
  await client.create(Deployment, { metadata: { namespace, name: 'web' }, spec: { replicas: 3, ...workload('web') } })
  await client.create(StatefulSet, {
    metadata: { namespace, name: 'db' },
    spec: { replicas: 2, serviceName: 'db', volumeClaimTemplates: [claim], ...workload('db') },
  })
  await client.create(DaemonSet, { metadata: { namespace, name: 'agent' }, spec: workload('agent') })
  await client.create(Job, { metadata: { namespace, name: 'work' }, spec: { completions: 2, template: once } })
  await client.create(CronJob, {
    metadata: { namespace, name: 'daily' },
    spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: once } } },
  })
  const ports = [{ port: 80 }]
  await client.create(Service, { metadata: { namespace, name: 'web' }, spec: { selector: { app: 'web' }, ports } })
  const selector = { matchLabels: { app: 'web' } }
  await client.create(PodDisruptionBudget, {
    metadata: { namespace, name: 'web' },
    spec: { selector, minAvailable: 2 },
  })
  await spoke.until(Deployment, 'web', 'it runs', ({ status }) => status?.availableReplicas === 3)
  await spoke.until(StatefulSet, 'db', 'it runs', ({ status }) => status?.availableReplicas === 2)
  await spoke.until(DaemonSet, 'agent', 'it runs', ({ status }) => status?.numberAvailable === 2)
  await spoke.until(Job, 'work', 'it is done', ({ status }) => status?.completionTime !== undefined)
  await spoke.until(PodDisruptionBudget, 'web', 'it is counted', ({ status }) => status?.disruptionsAllowed === 1)
  let before: Record<string, string> = {}
  await spoke.eventually('everything is idle', async () => {
    const last = JSON.stringify(before)
    before = await versions(spoke)
    return isIdle(spoke) && JSON.stringify(before) === last
  })
  await spoke.group.stop()
  const again = new Spoke(spoke.server, spoke.clock, { play })
  try {
    await again.group.whenRunning()
    await again.eventually('everything was reconciled', () => isIdle(again))
    assert.deepEqual(await versions(again), before)
  } finally {
    await again.group.stop()
    await again.informers.close()
  }
})
