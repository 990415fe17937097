import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { ApiServer } from '@orrery/apiserver'
import { Secret } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { DataVolume, type NewDataVolume, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { ConsoleClient } from './console-client.js'
import { whyNoGuest } from './guest.js'
import { guest, PATIENCE, startMachines } from './machines.js'
import { namespace, refOf } from './vm-cluster.js'

const options = { skip: whyNoGuest }

async function untilInstance(
  server: ApiServer,
  name: string,
  what: string,
  holds: (instance: VirtualMachineInstance) => boolean,
): Promise<VirtualMachineInstance> {
  let latest: VirtualMachineInstance | undefined
  const found = async () => {
    latest = await server.client().find(VirtualMachineInstance, refOf(name))
    return latest !== undefined && holds(latest)
  }
  await eventually(what, found, PATIENCE).catch((error) => {
    throw new Error(`${(error as Error).message}: ${JSON.stringify(latest?.status)}`)
  })
  return latest as VirtualMachineInstance
}

test('QEMU: boots a guest, serves its console, and shuts it down by ACPI', options, async (t) => {
  const { server } = await startMachines(t)
  const client = server.client()
  await client.create(Secret, {
    metadata: { namespace, name: 'user-data' },
    stringData: { userdata: '#cloud-config\nsecret: yes' },
  })
  const spec = {
    volumes: [
      { name: 'init', cloudInitNoCloud: { secretRef: { name: 'user-data' } } },
      { name: 'drive', cloudInitConfigDrive: { userData: 'drive data' } },
    ],
  }
  const bus = { bus: 'virtio' }
  const devices = { disks: ['init', 'drive'].map((name) => ({ name, disk: bus })) }
  await client.create(VirtualMachine, guest('vm', { kernelArgs: 'agent', spec, devices }))
  await untilInstance(server, 'vm', 'it runs', ({ status }) => status?.phase === 'Running')
  const console = await ConsoleClient.open(t, server, 'vm', 'console')
  await console.until('guest is up with 2 CPUs')
  assert.match(console.text, /\.\/user-data: #cloud-config\r\nsecret: yes/)
  assert.match(console.text, /\.\/meta-data: {"instance-id":"vm.default","local-hostname":"vm"}/)
  assert.match(console.text, /\.\/openstack\/latest\/user_data: drive data/)
  await console.ask('say hello', 'heard hello')

  const { status } = await untilInstance(server, 'vm', 'its agent is connected', ({ status }) => {
    return findCondition(status?.conditions, 'AgentConnected')?.status === 'True'
  })
  assert.equal(status?.guestOSInfo?.name, 'Test guest')
  assert.equal(findCondition(status?.conditions, 'orrery.dev/Played'), undefined)

  await client.delete(VirtualMachine, refOf('vm'))
  await console.until('shutting down')
  const isGone = async () => (await client.find(VirtualMachineInstance, refOf('vm'))) === undefined
  await eventually('the instance is gone', isGone, PATIENCE)
})

async function call(server: ApiServer, name: string, subresource: string): Promise<void> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}`
  const { status } = await server.client().raw({ method: 'PUT', path })
  assert.equal(status, 200, subresource)
}

/** Returns the PIDs of QEMU processes with a UUID. */
async function processesOf(uuid: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const words = (await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '')).split('\0')
    if (words[0]?.includes('qemu-system') === true && words.includes(uuid)) found.push(Number(name))
  }
  return found
}

test('QEMU: a guest has the disks of DataVolumes and container disks', options, async (t) => {
  const directory = await temporaryDirectory(t)
  const disk = join(directory, 'disk.raw')
  await writeFile(disk, Buffer.concat([Buffer.from('a container disk'), Buffer.alloc(1024 * 1024)]))
  const raw = join(directory, 'import.raw')
  await writeFile(raw, Buffer.concat([Buffer.from('an imported disk'), Buffer.alloc(1024 * 1024)]))
  const qemuImg = promisify(execFile)
  await qemuImg('qemu-img', ['convert', '-c', '-f', 'raw', '-O', 'qcow2', raw, join(directory, 'good.qcow2')])
  await qemuImg('qemu-img', ['create', '-f', 'qcow2', '-F', 'raw', '-b', '/etc/passwd', join(directory, 'bad.qcow2')])
  const web = createServer(async ({ url = '' }, response) => {
    const data = await readFile(join(directory, url)).catch(() => undefined)
    response.writeHead(data === undefined ? 404 : 200).end(data)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  afterwards(t, () => void web.close())
  const { server } = await startMachines(t, { 'example.com/disk:1': { disk } })
  const client = server.client()
  const site = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  const volume = (name: string, source: NewDataVolume['spec']['source']): NewDataVolume => ({
    metadata: { namespace, name, annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } },
    spec: { ...(source !== undefined && { source }), storage: { resources: { requests: { storage: '4Mi' } } } },
  })
  const untilVolume = async (name: string, what: string, holds: (status: DataVolume['status']) => boolean) => {
    const look = async () => {
      const { status } = await client.get(DataVolume, refOf(name))
      return holds(status) ? status : undefined
    }
    return eventually(what, look, PATIENCE)
  }
  await client.create(DataVolume, volume('imported', { http: { url: `${site}/good.qcow2` } }))
  await client.create(DataVolume, volume('blank', { blank: {} }))
  await client.create(DataVolume, volume('hostile', { http: { url: `${site}/bad.qcow2` } }))
  await client.create(DataVolume, volume('missing', { http: { url: `${site}/none` } }))
  const hasSucceeded = (status: DataVolume['status']) => status?.phase === 'Succeeded'
  for (const name of ['imported', 'blank']) await untilVolume(name, `${name} is filled`, hasSucceeded)
  await client.create(DataVolume, volume('clone', { pvc: { namespace, name: 'imported' } }))
  const cloned = await untilVolume('clone', 'it is cloned', hasSucceeded)
  assert.equal(findCondition(cloned?.conditions, 'orrery.dev/Played'), undefined)
  const problemOf = async (name: string) => {
    const failed = (status: DataVolume['status']) => findCondition(status?.conditions, 'Running')?.reason === 'Error'
    return findCondition((await untilVolume(name, `${name} fails`, failed))?.conditions, 'Running')?.message
  }
  assert.match((await problemOf('hostile')) ?? '', /has a backing file/)
  assert.match((await problemOf('missing')) ?? '', /got 404/)

  const names = ['image', 'imported', 'clone', 'blank', 'empty']
  const volumes = [
    { name: 'image', containerDisk: { image: 'example.com/disk:1' } },
    ...['imported', 'clone', 'blank'].map((name) => ({ name, dataVolume: { name } })),
    { name: 'empty', emptyDisk: { capacity: '1Mi' } },
  ]
  const devices = { disks: names.map((name) => ({ name, disk: { bus: 'virtio' } })) }
  const spec = { volumes, terminationGracePeriodSeconds: 60 }
  await client.create(VirtualMachine, guest('vm', { spec, devices }))
  await untilInstance(server, 'vm', 'it runs', ({ status }) => status?.phase === 'Running')
  const console = await ConsoleClient.open(t, server, 'vm', 'console')
  await console.until('guest is up')
  await console.ask('first vda', 'first: a container disk')
  await console.ask('first vdb', 'first: an imported disk')
  await console.ask('first vdc', 'first: an imported disk')
  for (const letter of ['a', 'd', 'e']) {
    await console.ask(`write vd${letter} changed`, 'written')
    await console.ask(`first vd${letter}`, 'first: changed')
  }
  await console.ask('poweroff', '')
  await untilInstance(server, 'vm', 'it has shut down', ({ status }) => status?.phase === 'Succeeded')
  assert.equal((await readFile(disk)).toString('latin1', 0, 16), 'a container disk')
})

test('QEMU: shows paused, restarted, crashed and stopped machines', options, async (t) => {
  const { server, restart } = await startMachines(t)
  const client = server.client()
  await client.create(VirtualMachine, guest('vm', { runStrategy: 'RerunOnFailure' }))
  const isRunning = ({ status }: VirtualMachineInstance) => status?.phase === 'Running'
  const first = await untilInstance(server, 'vm', 'it runs', isRunning)
  const display = await ConsoleClient.open(t, server, 'vm', 'vnc')
  await display.until('RFB 003.008')
  const console = await ConsoleClient.open(t, server, 'vm', 'console')
  await console.until('guest is up')

  const isPaused = ({ status }: VirtualMachineInstance) =>
    findCondition(status?.conditions, 'Paused')?.status === 'True'
  await call(server, 'vm', 'pause')
  await untilInstance(server, 'vm', 'it is paused', isPaused)
  await call(server, 'vm', 'unpause')
  await untilInstance(server, 'vm', 'it is resumed', (instance) => !isPaused(instance))
  await console.ask('say again', 'heard again')
  await call(server, 'vm', 'reset')
  const restarted = await ConsoleClient.open(t, server, 'vm', 'console')
  await restarted.until('guest is up')

  const uuid = first.spec.domain.firmware?.uuid ?? ''
  const [pid = 0] = await processesOf(uuid)
  process.kill(pid, 'SIGKILL')
  const isNew = (before: VirtualMachineInstance) => (instance: VirtualMachineInstance) =>
    isRunning(instance) && instance.metadata.uid !== before.metadata.uid
  const second = await untilInstance(server, 'vm', 'it runs again after a crash', isNew(first))
  await restart()
  await untilInstance(server, 'vm', 'it runs again after a restart of the node', isNew(second))
  assert.equal((await processesOf(uuid)).length, 1)
  await client.delete(VirtualMachine, refOf('vm'))
  await eventually('its process has ended', async () => (await processesOf(uuid)).length === 0, PATIENCE)
})

test('QEMU: an instance whose images are not on this machine is played, and says why', options, async (t) => {
  const { server } = await startMachines(t)
  const volumes = [{ name: 'root', containerDisk: { image: 'example.com/unknown:1' } }]
  await server.client().create(VirtualMachine, guest('vm', { spec: { volumes } }))
  const { status } = await untilInstance(server, 'vm', 'it runs', (instance) => instance.status?.phase === 'Running')
  assert.match(
    findCondition(status?.conditions, 'orrery.dev/Played')?.message ?? '',
    /no disk is registered for the container disk "example.com\/unknown:1"/,
  )
  await assert.rejects(ConsoleClient.open(t, server, 'vm', 'console'), /400.*no disk is registered/)
})
