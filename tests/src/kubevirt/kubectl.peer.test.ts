import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { DataVolume, VirtualMachine } from '@orrery/node/kubevirt'
import { temporaryDirectory } from '../support/server.js'
import { namespace, startVmServer, vmDraft } from './vm-cluster.js'

const BIN = new URL('../../../.cache/peers/bin/', import.meta.url).pathname

for (const minor of [27, 37]) {
  test(`kubectl 1.${minor}: shows virtual machines with the columns of KubeVirt`, async (t) => {
    const { server } = await startVmServer(t, { listens: true })
    const client = server.client()
    const home = await temporaryDirectory(t)
    const kubeconfig = join(home, 'kubeconfig')
    await writeFile(kubeconfig, await server.kubeconfig('cluster'))
    const kubectl = async (...args: string[]) => {
      const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig }
      return (await promisify(execFile)(join(BIN, `kubectl-${minor}`), args, { env })).stdout
    }
    await client.create(VirtualMachine, vmDraft('web'))
    const storage = { resources: { requests: { storage: '1Gi' } } }
    await client.create(DataVolume, { metadata: { namespace, name: 'a' }, spec: { source: { blank: {} }, storage } })
    await kubectl('wait', 'vm/web', '--for=condition=Ready', '--timeout=60s')
    await kubectl('wait', 'dv/a', '--for=jsonpath={.status.phase}=WaitForFirstConsumer', '--timeout=60s')
    // The plural is also that of the group of subresources, which must not be asked.
    assert.match(await kubectl('get', 'virtualmachines'), /^NAME +AGE +STATUS +READY\nweb +\d+s +Running +True\n$/)
    assert.match(
      await kubectl('get', 'vmis', '-o', 'wide'),
      /^NAME +AGE +PHASE +IP +NODENAME +READY +LIVE-MIGRATABLE +PAUSED\nweb +\d+s +Running +10\.244\.\S+ +node-1 +True +False *\n$/,
    )
    assert.match(
      await kubectl('get', 'dv'),
      /^NAME +PHASE +PROGRESS +RESTARTS +AGE\na +WaitForFirstConsumer +N\/A +\d+s\n$/,
    )
    assert.match(await kubectl('get', 'all'), /pod\/virt-launcher-web-\w+ +2\/2 +Running/)
    assert.match(await kubectl('explain', 'vm.spec.runStrategy'), /Always, Halted, Manual,\s+RerunOnFailure or Once/)
    const resources = await kubectl('api-resources', '--api-group=subresources.kubevirt.io', '-o', 'name')
    assert.equal(resources, '')
    const described = await kubectl('describe', 'vmi', 'web')
    assert.match(described, /orrery\.dev\/Played/)
    await kubectl('delete', 'vm', 'web', '--timeout=60s')
    assert.equal(await kubectl('get', 'vm,vmi'), '')
  })
}
