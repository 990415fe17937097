// Runs in a process of its own: it starts a fleet.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type FleetPlan, fleetDirectory as filesOf } from '@orrery/fleet'
import { Secret } from '@orrery/kinds'
import { clientFrom, isForbidden, type KubeClient } from '@orrery/kube'
import { requestToken } from '@orrery/kube/credentials'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { VirtualMachine } from '@orrery/node/kubevirt'
import { Organization, VirtualMachineRequest } from '@orrery/ovim'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory } from '../support/fleet.js'
import { afterwards } from '../support/server.js'
import { RestClient } from './rest.js'

const VM = { namespace: 'org-demo', name: 'demo-vm' }

test('up --ovim: a tenant manages a machine through the agent that the add-on installs, also after a restart', async (t) => {
  const root = await fleetDirectory(t)
  const started = await orrery('up', '--clusters', '1', '--ovim', '--data', root, '--detach')
  assert.equal(started.code, 0, started.errors)
  assert.match(started.out, /^demo +demo-vm +cluster1 +running/m)
  const files = filesOf(root)
  const connect = async (context: string): Promise<KubeClient> => {
    const client = await clientFrom(kubeconfigSource({ path: files.kubeconfig, context }))
    afterwards(t, () => client.close())
    return client
  }
  const [hub, cluster] = [await connect('hub'), await connect('cluster1')]
  const { ovim } = JSON.parse(await readFile(files.plan, 'utf8')) as FleetPlan
  const ca = await readFile(join(files.ovim, 'tls', 'ca.crt'), 'utf8')
  const rest = (headers: Record<string, string>, tls: { cert?: string; key?: string } = {}) => {
    const client = new RestClient(`https://localhost:${ovim?.port}`, { ca, ...tls }, headers)
    afterwards(t, () => client.close())
    return client
  }
  const isOnCluster = (client: KubeClient, printable: string) => async () => {
    const vm = await client.find(VirtualMachine, { namespace: 'vdc-demo-demo', name: VM.name })
    return vm?.status?.printableStatus === printable
  }

  const token = await requestToken(hub, { namespace: 'ovim-users', name: 'demo' })
  const user = rest({ authorization: `Bearer ${token}` })
  const { vms } = await user.ok('GET', '/api/v1/vms')
  assert.deepEqual(
    vms.map(({ id, status }: { id: string; status: string }) => [id, status]),
    [['demo.demo-vm', 'running']],
  )
  const stop = await user.send('PUT', '/api/v1/vms/demo.demo-vm/power', { action: 'stop' })
  assert.equal(stop.status, 202, stop.text)
  const operation = String(stop.headers.location)
  await eventually('the operation completes', async () => (await user.ok('GET', operation)).status === 'completed')
  await eventually('the machine has stopped', isOnCluster(cluster, 'Stopped'))

  // The credentials of the add-on's registration are for the zone of the cluster, and for nothing else.
  const { data = {} } = await cluster.get(Secret, { namespace: 'ovim-system', name: 'ovim-hub-kubeconfig' })
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
  const tls = { cert: text('tls.crt'), key: text('tls.key') }
  const agentOf = (zone: string) =>
    rest({ 'x-agent-id': 'ovim-spoke-cluster1', 'x-cluster-id': zone, 'x-zone-id': zone }, tls)
  const poll = '/api/v1/spoke/operations?agent_id=ovim-spoke-cluster1'
  assert.equal(await agentOf('cluster1').status('GET', poll), 204)
  assert.equal(await agentOf('cluster2').status('GET', poll), 403)
  const { certificateAuthority, server } = await kubeconfigSource({ path: files.kubeconfig, context: 'hub' }).read()
  assert.ok(certificateAuthority)
  const asAgent = await clientFrom({
    server,
    certificateAuthority,
    clientCertificate: { text: tls.cert },
    clientKey: { text: tls.key },
  })
  afterwards(t, () => asAgent.close())
  await assert.rejects(asAgent.list(Organization), isForbidden)

  assert.equal((await orrery('down', '--data', root)).code, 0)
  assert.equal((await orrery('up', '--data', root, '--detach')).code, 0)
  // As kubectl does, with the token of the tenant.
  const tenant = await clientFrom({ server, certificateAuthority, token })
  afterwards(t, () => tenant.close())
  await tenant.patch(VirtualMachineRequest, VM, { spec: { powerState: 'Running' } })
  await assert.rejects(tenant.list(VirtualMachineRequest), isForbidden)
  await eventually('the machine runs again', isOnCluster(await connect('cluster1'), 'Running'))
})
