import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { MachineImageRegistry } from '../images/machine-image-registry.js'
import type { InstanceSpec } from '../kinds/instance-spec.js'
import { instanceOf, specOf } from '../testing.fixture.js'
import { OnlyPlayed } from './plan.js'
import { type PlanSources, planOf } from './plan-of.js'

const images = {
  'example.com/disk': { disk: '/srv/disk.qcow2' },
  'example.com/kernel': { files: { '/boot/vmlinuz': '/srv/vmlinuz', '/boot/initrd': '/srv/initrd' } },
}
const sources: PlanSources = {
  images: new MachineImageRegistry(images, undefined, silentLogger),
  async claimDirectory(_, name) {
    if (name === 'played') throw new OnlyPlayed('the claim "played" has no disk.img')
    return `/volumes/${name}`
  },
  async secret(_, name) {
    if (name === 'missing') throw new Error('secret "missing" not found')
    return new Map([
      ['userdata', Buffer.from('from a secret')],
      ['key', Buffer.from('ssh-ed25519 AAAA me\n\n')],
    ])
  },
  configMap: async () => new Map([['a.conf', Buffer.from('x')]]),
}
const plan = (spec: Partial<InstanceSpec> = {}) => planOf(instanceOf('Scheduled', {}, {}, spec), sources)
const domain = (more: object): Partial<InstanceSpec> => ({ domain: { ...specOf().domain, ...more } as never })
const volumes = (...given: object[]): Partial<InstanceSpec> => {
  const named = given.map((volume, index) => ({ name: `v${index}`, ...volume }))
  const disks = named.map(({ name }) => ({ name, disk: { bus: 'virtio' } }))
  return { volumes: named as never, domain: { ...specOf().domain, devices: { disks } } }
}
const refused = (spec: Partial<InstanceSpec>, why: RegExp) =>
  assert.rejects(plan(spec), (error: Error) => error instanceof OnlyPlayed && why.test(error.message))

test('planOf: takes the hardware of the spec', async () => {
  const found = await plan(domain({ cpu: { cores: 2, sockets: 3 }, memory: { guest: '256Mi' } }))
  assert.deepEqual(found.cpu, { sockets: 3, cores: 2, threads: 1 })
  assert.equal(found.memoryBytes, 256 * 1024 * 1024)
  assert.deepEqual(found.disks[0]?.source, { type: 'image', file: '/srv/disk.qcow2' })
  assert.deepEqual(
    found.interfaces.map(({ isConnected }) => isConnected),
    [true],
  )
  assert.match(found.interfaces[0]?.mac ?? '', /^02(:[0-9a-f]{2}){5}$/)
  const [hostile] = (await plan(domain({ devices: { interfaces: [{ name: 'default', macAddress: 'x,y' }] } })))
    .interfaces
  assert.match(hostile?.mac ?? '', /^02(:[0-9a-f]{2}){5}$/)
})

test('planOf: finds the data of each volume', async () => {
  const { disks } = await plan(
    volumes(
      { dataVolume: { name: 'dv' } },
      { ephemeral: { persistentVolumeClaim: { claimName: 'pvc' } } },
      { emptyDisk: { capacity: '1Mi' } },
      { cloudInitNoCloud: { secretRef: { name: 'data' }, networkData: 'net' } },
      { cloudInitConfigDrive: { userDataBase64: 'aGk=' } },
      { configMap: { name: 'settings' } },
    ),
  )
  const [dataVolume, ephemeral, empty, noCloud, drive, settings] = disks.map(({ source }) => source)
  assert.deepEqual(dataVolume, { type: 'claim', directory: '/volumes/dv', isEphemeral: false })
  assert.deepEqual(ephemeral, { type: 'claim', directory: '/volumes/pvc', isEphemeral: true })
  assert.deepEqual(empty, { type: 'empty', bytes: 1024 * 1024 })
  const textOf = (source: typeof drive, name: string) =>
    source?.type === 'files' ? `${source.label} ${source.files.get(name)}` : undefined
  assert.equal(textOf(noCloud, 'user-data'), 'cidata from a secret')
  assert.equal(textOf(noCloud, 'network-config'), 'cidata net')
  assert.equal(textOf(drive, 'openstack/latest/user_data'), 'config-2 hi')
  assert.equal(textOf(settings, 'a.conf'), 'cfgdata x')
})

test('planOf: passes SSH keys to cloud-init', async () => {
  const sshPublicKey = { source: { secret: { secretName: 'keys' } }, propagationMethod: { noCloud: {} } }
  const spec = { ...volumes({ cloudInitNoCloud: { userData: '' } }), accessCredentials: [{ sshPublicKey }] }
  const source = (await plan(spec as Partial<InstanceSpec>)).disks[0]?.source
  const metadata = source?.type === 'files' ? JSON.parse(String(source.files.get('meta-data'))) : {}
  assert.deepEqual(Object.values(metadata['public-keys']), ['from a secret', 'ssh-ed25519 AAAA me'])
})

test('planOf: takes registered kernels only', async () => {
  const kernelBoot = (container: object) => domain({ firmware: { kernelBoot: { kernelArgs: 'a b', container } } })
  const image = 'example.com/kernel:1'
  const found = await plan(kernelBoot({ image, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' }))
  assert.deepEqual(found.kernel, { kernel: '/srv/vmlinuz', initrd: '/srv/initrd', args: 'a b' })
  await refused(kernelBoot({ image, kernelPath: '/etc/shadow' }), /no file is registered for \/etc\/shadow/)
  await refused(kernelBoot({ image, kernelPath: 'constructor' }), /no file is registered for constructor/)
  await refused(kernelBoot({ image: 'other', kernelPath: '/boot/vmlinuz' }), /in the image "other"/)
})

test('planOf: says why an instance can only be played', async () => {
  await refused({ architecture: 'arm64' }, /spec.architecture arm64/)
  await refused(domain({ firmware: { bootloader: { efi: {} } } }), /firmware.bootloader.efi/)
  await refused(
    volumes({ containerDisk: { image: 'unknown' } }),
    /no disk is registered for the container disk "unknown"/,
  )
  await refused(volumes({ dataVolume: { name: 'played' } }), /has no disk.img/)
  await refused(volumes({ hostDisk: { path: '/etc/shadow', type: 'Disk' } }), /volume "v0": hostDisk is not supported/)
  await assert.rejects(
    plan(volumes({ cloudInitNoCloud: { secretRef: { name: 'missing' } } })),
    /secret "missing" not found/,
  )
})
