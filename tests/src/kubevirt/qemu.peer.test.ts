import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ApiServer } from '@orrery/apiserver'
import { Secret } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { type NewVirtualMachine, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { temporaryDirectory } from '../support/server.js'
import { ConsoleClient } from './console-client.js'
import { KERNEL, whyNoGuest, writeInitramfs } from './guest.js'
import { namespace, refOf, startVmServer } from './vm-cluster.js'

const options = { skip: whyNoGuest }
const IMAGE = 'example.com/guest:1'
const KERNEL_BOOT = { container: { image: IMAGE, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' } }
const PATIENCE = { timeoutMilliseconds: 240_000, intervalMilliseconds: 50 }

interface Guest {
  readonly kernelArgs?: string
  readonly spec?: Partial<NewVirtualMachine['spec']['template']['spec']>
  readonly devices?: object
  readonly runStrategy?: string
}

/** A VirtualMachine that starts the test guest. */
function guest(name: string, { kernelArgs = '', spec = {}, devices = {}, runStrategy = 'Once' }: Guest = {}) {
  const args = `console=ttyS0 quiet panic=-1 ${kernelArgs}`
  return {
    metadata: { name, namespace },
    spec: {
      runStrategy,
      template: {
        spec: {
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '128Mi' },
            firmware: { kernelBoot: { ...KERNEL_BOOT, kernelArgs: args } },
            devices,
          },
          ...spec,
        },
      },
    },
  } as NewVirtualMachine
}

async function startMachines(t: TestContext) {
  const directory = await temporaryDirectory(t)
  const initrd = join(directory, 'initrd')
  await writeInitramfs(initrd)
  const machineImages = { [IMAGE]: { files: { '/boot/vmlinuz': KERNEL, '/boot/initrd': initrd } } }
  return startVmServer(t, { listens: true, machines: { machines: 'required', machineImages } })
}

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
  console.type('say hello')
  await console.until('heard hello')

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
