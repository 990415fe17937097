import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstanceSpec } from '../kinds/instance-spec.js'
import { refusalOf, specOf } from '../testing.fixture.js'
import { Causes } from './causes.js'
import { withInstanceDefaults } from './defaults.js'
import { checkInstanceSpec } from './spec-checks.js'

function fieldsOf(spec: InstanceSpec): string[] {
  const causes = new Causes()
  checkInstanceSpec(spec, 'spec', causes)
  try {
    causes.refuse('test')
    return []
  } catch (error) {
    const { details } = (error as ReturnType<typeof refusalOf>).status
    return (details?.causes ?? []).map(({ field = '' }) => field)
  }
}

const { domain } = specOf()
const withDomain = (more: Partial<InstanceSpec['domain']>) => specOf({ domain: { ...domain, ...more } })
const withDevices = (more: Partial<InstanceSpec['domain']['devices']>) =>
  withDomain({ devices: { ...domain.devices, ...more } })
const root = { name: 'root', containerDisk: { image: 'disk' } }

test('checkInstanceSpec: accepts what KubeVirt accepts', () => {
  assert.deepEqual(fieldsOf(specOf()), [])
  assert.deepEqual(fieldsOf(withInstanceDefaults({ domain: { memory: { guest: '1Gi' }, devices: {} } })), [])
})

test('checkInstanceSpec: names the field that is wrong', () => {
  const cases: [InstanceSpec, string[]][] = [
    [specOf({ volumes: [] }), ['spec.domain.devices.disks[0].name']],
    [withDevices({ disks: [{ name: 'root' }, { name: 'root' }] }), ['spec.domain.devices.disks[1].name']],
    [withDevices({ disks: [{ name: 'root', disk: {}, cdrom: {} }] }), ['spec.domain.devices.disks[0]']],
    [
      specOf({
        volumes: [root, { name: 'two', emptyDisk: {} }],
        domain: {
          ...domain,
          devices: {
            ...domain.devices,
            disks: [
              { name: 'root', bootOrder: 1 },
              { name: 'two', bootOrder: 1 },
            ],
          },
        },
      }),
      ['spec.domain.devices.disks[1].bootOrder'],
    ],
    [specOf({ volumes: [root, root] }), ['spec.volumes[1].name']],
    [specOf({ volumes: [{ name: 'root' }] }), ['spec.volumes[0]']],
    [specOf({ volumes: [{ ...root, emptyDisk: {} }] }), ['spec.volumes[0]']],
    [specOf({ volumes: [root, { name: 'init', cloudInitNoCloud: {} }] }), ['spec.volumes[1].cloudInitNoCloud']],
    [
      specOf({ volumes: [root, { name: 'init', cloudInitConfigDrive: { userData: 'a'.repeat(2049) } }] }),
      ['spec.volumes[1].cloudInitConfigDrive'],
    ],
    [specOf({ networks: [] }), ['spec.domain.devices.interfaces[0].name']],
    [withDevices({ interfaces: [] }), ['spec.networks[0].name']],
    [
      withDevices({ interfaces: [{ name: 'default', masquerade: {}, bridge: {} }] }),
      ['spec.domain.devices.interfaces[0]'],
    ],
    [
      specOf({ networks: [{ name: 'default', multus: { networkName: 'lan' } }] }),
      ['spec.domain.devices.interfaces[0].masquerade'],
    ],
    [specOf({ networks: [{ name: 'default' }] }), ['spec.domain.devices.interfaces[0].masquerade', 'spec.networks[0]']],
    [withDomain({ memory: {} }), ['spec.domain.memory.guest']],
    [withDomain({ memory: { guest: '0' } }), ['spec.domain.memory.guest']],
    [withDomain({ resources: { limits: { memory: '512Mi' } } }), ['spec.domain.memory.guest']],
    [
      withDomain({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      ['spec.domain.resources.requests.cpu'],
    ],
    [withDomain({ resources: { requests: { cpu: '-1' } } }), ['spec.domain.resources.requests.cpu']],
    [withDomain({ cpu: { sockets: 4, maxSockets: 2 } }), ['spec.domain.cpu.sockets']],
    [specOf({ startStrategy: 'Later' }), ['spec.startStrategy']],
    [specOf({ startStrategy: 'Paused', livenessProbe: {} }), ['spec.startStrategy']],
    [specOf({ hostname: 'Not a label' }), ['spec.hostname']],
  ]
  for (const [spec, expected] of cases) assert.deepEqual(fieldsOf(spec), expected, JSON.stringify(expected))
})

test('Causes: refuses in the name of the webhook, with every cause', () => {
  const causes = new Causes()
  causes.refuse('hook')
  causes.invalid('spec.a', 'spec.a is wrong')
  causes.required('spec.b', 'spec.b is required')
  const { code, reason, message } = refusalOf(() => causes.refuse('hook'))
  assert.deepEqual([code, reason], [422, 'Invalid'])
  assert.equal(message, 'admission webhook "hook" denied the request: spec.a is wrong, spec.b is required')
})

test('withInstanceDefaults: sets the topology, the memory, a network and a disk for each volume', () => {
  const spec = withInstanceDefaults({
    domain: { resources: { requests: { memory: '2Gi', cpu: '1500m' } }, devices: {} },
    volumes: [{ name: 'root', containerDisk: { image: 'disk' } }],
  })
  assert.deepEqual(spec.domain.cpu, { model: 'host-model', sockets: 2, cores: 1, threads: 1 })
  assert.deepEqual(spec.domain.memory, { guest: '2Gi' })
  assert.deepEqual(spec.networks, [{ name: 'default', pod: {} }])
  assert.deepEqual(spec.domain.devices.interfaces, [{ name: 'default', bridge: {} }])
  assert.equal(spec.domain.devices.disks?.[0]?.name, 'root')
  assert.equal(spec.volumes?.[0]?.containerDisk?.imagePullPolicy, 'Always')
  const none = withInstanceDefaults({ domain: { devices: { autoattachPodInterface: false } } })
  assert.equal(none.networks, undefined)
})
