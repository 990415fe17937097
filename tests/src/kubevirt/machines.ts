import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { NewVirtualMachine } from '@orrery/node/kubevirt'
import { temporaryDirectory } from '../support/server.js'
import { KERNEL, writeInitramfs } from './guest.js'
import { namespace, startVmServer, type VmServer } from './vm-cluster.js'

const IMAGE = 'example.com/guest:1'
const KERNEL_BOOT = { container: { image: IMAGE, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' } }
/** Emulated guests on a busy machine take long. */
export const PATIENCE = { timeoutMilliseconds: 240_000, intervalMilliseconds: 50 }

interface Guest {
  readonly kernelArgs?: string
  readonly spec?: Partial<NewVirtualMachine['spec']['template']['spec']>
  readonly devices?: object
  readonly runStrategy?: string
}

/** A VirtualMachine that starts the test guest. */
export function guest(name: string, { kernelArgs = '', spec = {}, devices = {}, runStrategy = 'Once' }: Guest = {}) {
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

/** Starts a cluster that runs the test guest in QEMU. */
export async function startMachines(
  t: TestContext,
  more: Readonly<Record<string, { readonly disk: string }>> = {},
): Promise<VmServer> {
  const directory = await temporaryDirectory(t)
  const initrd = join(directory, 'initrd')
  await writeInitramfs(initrd)
  const machineImages = { [IMAGE]: { files: { '/boot/vmlinuz': KERNEL, '/boot/initrd': initrd } }, ...more }
  return startVmServer(t, { listens: true, machines: { machines: 'required', machineImages } })
}
