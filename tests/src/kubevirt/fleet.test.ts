import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetDirectory as filesOf } from '@orrery/fleet'
import { clientFrom, isNotFound } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { VirtualMachine } from '@orrery/node/kubevirt'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory } from '../support/fleet.js'
import { afterwards } from '../support/server.js'
import { refOf, vmDraft } from './vm-cluster.js'

test('up --kubevirt: clusters run virtual machines, also after a restart without the option', async (t) => {
  const root = await fleetDirectory(t)
  const started = await orrery('up', '--clusters', '1', '--kubevirt', '--data', root, '--detach')
  assert.equal(started.code, 0, started.errors)
  const path = filesOf(root).kubeconfig
  const connect = async (context: string) => {
    const client = await clientFrom(kubeconfigSource({ path, context }))
    afterwards(t, () => client.close())
    return client
  }
  const cluster = await connect('cluster1')
  await cluster.create(VirtualMachine, vmDraft('vm'))
  const isRunning = async () => (await cluster.get(VirtualMachine, refOf('vm'))).status?.printableStatus === 'Running'
  await eventually('it runs', isRunning)
  const hub = await connect('hub')
  await assert.rejects(hub.list(VirtualMachine), isNotFound)

  assert.equal((await orrery('down', '--data', root)).code, 0)
  assert.equal((await orrery('up', '--data', root, '--detach')).code, 0)
  const stop = { method: 'PUT', path: '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/vm/stop' }
  const again = await connect('cluster1')
  assert.equal((await again.raw(stop)).status, 202)
  await eventually('it has stopped', async () => {
    return (await again.get(VirtualMachine, refOf('vm'))).status?.printableStatus === 'Stopped'
  })
})
