import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qemuArguments } from './arguments.js'
import type { DiskPlan, MachinePlan } from './plan.js'

const EMULATION = { acceleration: 'tcg', hasSeccomp: true }
const disk = (more: Partial<DiskPlan> = {}): DiskPlan => ({
  name: 'root',
  kind: 'disk',
  bus: 'virtio',
  isReadOnly: false,
  bootOrder: undefined,
  serial: undefined,
  source: { type: 'empty', bytes: 512 },
  ...more,
})
const plan = (more: Partial<MachinePlan> = {}): MachinePlan => ({
  uuid: '00000000-0000-5000-a000-000000000000',
  cpu: { sockets: 2, cores: 3, threads: 1 },
  memoryBytes: 128 * 1024 * 1024 + 1,
  disks: [],
  interfaces: [],
  kernel: undefined,
  hasDisplay: true,
  hasSerialConsole: true,
  hasAcpi: true,
  hasRandomness: false,
  reportsPanic: false,
  endsOnReboot: false,
  startsPaused: false,
  ...more,
})
const valuesOf = (args: readonly string[], option: string) =>
  args.flatMap((argument, index) => (args[index - 1] === option ? [argument] : []))
const jsonOf = (args: readonly string[], option: string) => valuesOf(args, option).map((text) => JSON.parse(text))
const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `d${index}`, format: 'raw' as const }))

test('qemuArguments: has the CPUs and the memory of the spec', () => {
  const args = qemuArguments(plan(), [], undefined, EMULATION)
  assert.deepEqual(valuesOf(args, '-smp'), ['cpus=6,sockets=2,cores=3,threads=1'])
  assert.deepEqual(valuesOf(args, '-m'), ['129M'])
  assert.deepEqual(valuesOf(args, '-machine'), ['q35,accel=tcg'])
  assert.equal(valuesOf(args, '-sandbox').length, 1)
  const bare = qemuArguments(
    plan({ hasAcpi: false, hasDisplay: false, hasSerialConsole: false, endsOnReboot: true }),
    [],
    undefined,
    { acceleration: 'kvm', hasSeccomp: false },
  )
  assert.deepEqual(valuesOf(bare, '-machine'), ['q35,accel=kvm,acpi=off'])
  assert.deepEqual(valuesOf(bare, '-action'), ['panic=shutdown,reboot=shutdown'])
  for (const option of ['-vnc', '-serial', '-sandbox']) assert.deepEqual(valuesOf(bare, option), [])
})

test('qemuArguments: values of users cannot become options', () => {
  const hostile = 'x,file.filename=/etc/shadow'
  const kernel = { kernel: '/k', initrd: undefined, args: hostile }
  const disks = [disk({ name: hostile, serial: hostile })]
  const args = qemuArguments(
    plan({ disks, kernel }),
    [{ path: `/shared/${hostile}`, format: 'raw' }],
    { kernel: `/k,${hostile}`, initrd: undefined },
    EMULATION,
  )
  assert.equal(jsonOf(args, '-blockdev')[0].file.filename, `/shared/${hostile}`)
  assert.equal(jsonOf(args, '-device').find(({ serial }) => serial !== undefined)?.serial, hostile)
  assert.deepEqual(valuesOf(args, '-append'), [hostile])
  const others = args.filter(
    (argument, index) => argument.includes(hostile) && !argument.startsWith('{') && args[index - 1] !== '-append',
  )
  assert.deepEqual(others, [`/k,${hostile}`])
})

test('qemuArguments: no image chooses its format or its backing file', () => {
  const overlay = { path: 'disk0', format: 'qcow2' as const }
  const args = qemuArguments(
    plan({ disks: [disk(), disk(), disk({ isReadOnly: true })] }),
    [
      { ...overlay, backing: { path: '/shared/0', format: 'qcow2' } },
      { ...overlay, backing: { path: '/shared/1', format: 'raw' } },
      { path: '/shared/2/disk.img', format: 'raw' },
    ],
    undefined,
    EMULATION,
  )
  const [first, second, third] = jsonOf(args, '-blockdev')
  assert.deepEqual([first.driver, first.backing.driver, first.backing.backing], ['qcow2', 'qcow2', null])
  assert.deepEqual([first.backing['read-only'], second.backing.driver], [true, 'raw'])
  assert.deepEqual([third.driver, third['read-only'], 'backing' in third], ['raw', true, false])
})

test('qemuArguments: disks have the bus and the order of the spec', () => {
  const many = Array.from({ length: 8 }, () => disk({ bus: 'sata' }))
  const disks = [...many, disk({ bus: 'scsi', kind: 'cdrom' }), disk({ bus: 'usb' })]
  const args = qemuArguments(plan({ disks }), files(10), undefined, EMULATION)
  const drives = jsonOf(args, '-device').filter(({ drive }) => drive !== undefined)
  assert.deepEqual(
    drives.map(({ bus }) => bus),
    [...['ide.0', 'ide.1', 'ide.2', 'ide.3', 'ide.4', 'ide.5', 'sata1.0', 'sata1.1'], ...['scsi.0', 'usb-disks.0']],
  )
  assert.deepEqual(
    drives.slice(0, 2).map(({ bootindex }) => bootindex),
    [1, 2],
  )
  const ordered = plan({ disks: [disk(), disk({ bootOrder: 1 })] })
  const [first, second] = jsonOf(qemuArguments(ordered, files(2), undefined, EMULATION), '-device').filter(
    ({ drive }) => drive,
  )
  assert.deepEqual([first.bootindex, second.bootindex], [undefined, 1])
})

test('qemuArguments: only the pod network reaches this machine', () => {
  const card = { model: 'e1000', mac: '02:00:00:00:00:01', bootOrder: undefined, isConnected: true }
  const interfaces = [card, { ...card, model: 'unknown', isConnected: false }]
  const args = qemuArguments(plan({ interfaces }), [], undefined, EMULATION)
  assert.deepEqual(valuesOf(args, '-netdev'), ['user,id=net0', 'user,id=net1,restrict=on'])
  const drivers = jsonOf(args, '-device').filter(({ netdev }) => netdev !== undefined)
  assert.deepEqual(
    drivers.map(({ driver }) => driver),
    ['e1000', 'virtio-net-pci'],
  )
})
