import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PersistentVolumeClaim } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { DataVolume, type NewDataVolume, PLAY_IMPORT, VirtualMachine } from '@orrery/node/kubevirt'
import { namespace, refOf, startVmCluster, vmDraft } from './vm-cluster.js'

const storage = { resources: { requests: { storage: '10Gi' } } }
const http = { http: { url: 'https://example.com/disk.qcow2' } }
const IMMEDIATELY = 'cdi.kubevirt.io/storage.bind.immediate.requested'

function imported(name: string, annotations: Record<string, string>, runStrategy = 'Always') {
  return vmDraft(name, {
    runStrategy,
    spec: { volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }] },
    dataVolumeTemplates: [{ metadata: { name: `${name}-root`, annotations }, spec: { source: http, storage } }],
  })
}

function dataVolume(name: string, source: NewDataVolume['spec']['source']): NewDataVolume {
  const annotations = { [IMMEDIATELY]: 'true' }
  return { metadata: { namespace, name, annotations }, spec: { ...(source !== undefined && { source }), storage } }
}

test('DataVolume: is imported when its VirtualMachine starts, and is deleted with it', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  await client.create(VirtualMachine, imported('vm', { [PLAY_IMPORT]: '5s' }, 'Halted'))
  const waiting = await cluster.until(
    DataVolume,
    'vm-root',
    'it waits for a consumer',
    ({ status }) => status?.phase === 'WaitForFirstConsumer',
  )
  assert.equal(waiting.metadata.ownerReferences?.[0]?.kind, 'VirtualMachine')
  assert.equal((await client.get(PersistentVolumeClaim, refOf('vm-root'))).status?.phase, 'Pending')
  await cluster.vmIs('vm', 'Stopped')
  await cluster.call('virtualmachines', 'vm', 'start')
  await cluster.vmIs('vm', 'Provisioning')
  const running = await cluster.until(
    DataVolume,
    'vm-root',
    'it makes progress',
    ({ status }) => status?.phase === 'ImportInProgress' && /^[1-9]\d\.\d\d%$/.test(status.progress ?? ''),
  )
  assert.equal(findCondition(running.status?.conditions, 'Running')?.status, 'True')
  await cluster.vmIs('vm', 'Running')
  const done = await client.get(DataVolume, refOf('vm-root'))
  assert.deepEqual([done.status?.phase, done.status?.progress], ['Succeeded', '100.0%'])
  assert.match(findCondition(done.status?.conditions, 'orrery.dev/Played')?.message ?? '', /played/)
  const instance = await cluster.instance('vm')
  assert.equal(findCondition(instance.status?.conditions, 'DataVolumesReady')?.reason, 'AllDVsReady')
  await client.delete(VirtualMachine, refOf('vm'))
  await cluster.gone(VirtualMachine, 'vm')
  await cluster.gone(DataVolume, 'vm-root')
  await cluster.gone(PersistentVolumeClaim, 'vm-root')
})

test('DataVolume: a failed import is shown by its VirtualMachine', async (t) => {
  const cluster = await startVmCluster(t)
  await cluster.client.create(VirtualMachine, imported('vm', { [PLAY_IMPORT]: 'fail', [IMMEDIATELY]: 'true' }))
  await cluster.vmIs('vm', 'DataVolumeError')
  const failed = await cluster.client.get(DataVolume, refOf('vm-root'))
  assert.equal(failed.status?.phase, 'Failed')
  await cluster.eventually('events', async () => (await cluster.reasons('vm-root')).includes('ImportFailed'))
})

test('DataVolume: each source has its phases', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const phases = new Map<string, string[]>()
  const watching = new AbortController()
  t.after(() => watching.abort())
  const watch = (async () => {
    for await (const { object } of client.watch(DataVolume, { namespace, signal: watching.signal })) {
      const { phase = '' } = object.status ?? {}
      const seen = phases.get(object.metadata.name) ?? []
      if (phase !== '' && seen.at(-1) !== phase) phases.set(object.metadata.name, [...seen, phase])
    }
  })()
  await client.create(DataVolume, dataVolume('clone', { pvc: { namespace, name: 'blank' } }))
  const isPending = ({ status }: DataVolume) =>
    findCondition(status?.conditions, 'Bound')?.reason === 'CloneWithoutSource'
  await cluster.until(DataVolume, 'clone', 'it waits for its source', isPending)
  await client.create(DataVolume, dataVolume('blank', { blank: {} }))
  await client.create(DataVolume, dataVolume('upload', { upload: {} }))
  for (const name of ['blank', 'clone']) {
    await cluster.until(DataVolume, name, 'it has succeeded', ({ status }) => status?.phase === 'Succeeded')
  }
  await cluster.until(DataVolume, 'upload', 'it waits for data', ({ status }) => status?.phase === 'UploadReady')
  watching.abort()
  await watch.catch(() => undefined)
  assert.deepEqual(phases.get('blank'), ['Pending', 'ImportScheduled', 'ImportInProgress', 'Succeeded'])
  assert.deepEqual(phases.get('clone'), ['Pending', 'CloneScheduled', 'CloneInProgress', 'Succeeded'])
  assert.deepEqual(phases.get('upload'), ['Pending', 'UploadScheduled', 'UploadReady'])
})
