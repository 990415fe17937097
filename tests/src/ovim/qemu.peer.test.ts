import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCondition } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { VirtualMachineInstance } from '@orrery/node/kubevirt'
import { Template, VirtualMachineRequest } from '@orrery/ovim'
import { ConsoleClient } from '../kubevirt/console-client.js'
import { KERNEL, whyNoGuest, writeInitramfs } from '../kubevirt/guest.js'
import { temporaryDirectory } from '../support/server.js'
import { AgentWorld, ORG, WORKLOAD, ZONE } from './agent-world.js'

const IMAGE = 'example.com/guest:1'
const VM = { namespace: WORKLOAD, name: 'web' }
/** The clock of the test follows the time of the machine: a guest boots at its own pace. */
const STEP = 50
const MINUTES = 240_000

test('OVIM with QEMU: a tenant requests a machine, its guest boots, answers on its console, and stops', {
  skip: whyNoGuest,
}, async (t) => {
  const directory = await temporaryDirectory(t)
  const [disk, initrd] = [join(directory, 'disk.img'), join(directory, 'initrd')]
  await writeInitramfs(initrd)
  const file = await open(disk, 'w')
  await file.truncate(1024 * 1024)
  await file.close()
  const machineImages = { [IMAGE]: { disk, files: { '/boot/vmlinuz': KERNEL, '/boot/initrd': initrd } } }
  const world = await AgentWorld.start(t, { listens: true, machines: { machines: 'required', machineImages } })
  await world.withVdc()
  await world.ovim.client.create(Template, {
    metadata: { namespace: 'ovim-system', name: 'guest' },
    spec: {
      osType: 'linux',
      cpu: 1,
      memory: '128Mi',
      image: { containerDisk: IMAGE },
      kernelBoot: {
        image: IMAGE,
        kernelPath: '/boot/vmlinuz',
        initrdPath: '/boot/initrd',
        args: 'console=ttyS0 quiet panic=-1',
      },
    },
  })
  const inTime = (what: string, holds: () => Promise<boolean>) =>
    eventually(what, holds, {
      timeoutMilliseconds: MINUTES,
      intervalMilliseconds: STEP,
      meanwhile: () => world.clock.advance(STEP),
    })
  const user = await world.ovim.person('acme-user')
  const requested = await user.rest.send('POST', '/api/v1/vms', { name: 'web', vdc_id: 'acme.dev', template: 'guest' })
  assert.equal(requested.status, 202, requested.text)
  const status = async () => (await user.rest.ok('GET', '/api/v1/vms/acme.web')).status
  await inTime('the hub reports that it runs', async () => (await status()) === 'running')
  const instance = await world.client.get(VirtualMachineInstance, VM)
  assert.equal(instance.status?.phase, 'Running')
  assert.equal(findCondition(instance.status?.conditions, 'orrery.dev/Played'), undefined)
  const request = await world.ovim.client.get(VirtualMachineRequest, { namespace: ORG, name: 'web' })
  assert.equal(request.status?.zone, ZONE)

  const pointer = await user.rest.ok('GET', '/api/v1/vms/acme.web/console')
  assert.ok(pointer.console.path.endsWith(`/namespaces/${WORKLOAD}/virtualmachineinstances/web/console`))
  const console = await ConsoleClient.open(t, world.spoke, 'web', 'console', WORKLOAD)
  await console.until('guest is up with 1 CPUs')
  console.type('say hello')
  await console.until('heard hello')

  assert.equal(await user.rest.status('PUT', '/api/v1/vms/acme.web/power', { action: 'stop' }), 202)
  await inTime('the guest shuts down', async () => console.text.includes('shutting down'))
  await inTime('the hub reports that it has stopped', async () => (await status()) === 'stopped')
  assert.equal(await world.client.find(VirtualMachineInstance, VM), undefined)
})
