import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonValue, KubeObject } from '@orrery/kinds'
import { created, LABEL, problemsOf, problemsOfChange, QUALIFIED, refuses, withField } from '../testing.fixture.js'

const apiVersion = 'resource.k8s.io/v1'
const CLASS: KubeObject = {
  apiVersion,
  kind: 'DeviceClass',
  metadata: { name: 'gpu' },
  spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] },
}
const CLAIM: KubeObject = {
  apiVersion,
  kind: 'ResourceClaim',
  metadata: { name: 'claim' },
  spec: {
    devices: {
      requests: [
        { name: 'one', exactly: { deviceClassName: 'gpu' } },
        { name: 'two', firstAvailable: [{ name: 'large', deviceClassName: 'gpu', count: 2 }] },
      ],
      constraints: [{ requests: ['one', 'two/large'], matchAttribute: 'gpu.example.com/model' }],
      config: [{ requests: ['one'], opaque: { driver: 'gpu.example.com', parameters: { mode: 'fast' } } }],
    },
  },
}
const TEMPLATE: KubeObject = {
  apiVersion,
  kind: 'ResourceClaimTemplate',
  metadata: { name: 'template' },
  spec: { metadata: { labels: { a: 'b' } }, spec: CLAIM.spec as object },
}
const SLICE: KubeObject = {
  apiVersion,
  kind: 'ResourceSlice',
  metadata: { name: 'slice' },
  spec: {
    driver: 'gpu.example.com',
    nodeName: 'node-1',
    pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
    devices: [
      {
        name: 'gpu-0',
        attributes: { model: { string: 'a100' }, 'gpu.example.com/version': { version: '1.2.3' }, cores: { int: 8 } },
        capacity: { memory: { value: '80Gi' } },
      },
    ],
  },
}

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

test('ResourceClaim: defaults the mode and count of requests', () => {
  const { requests } = (created(CLAIM).spec as { devices: { requests: JsonValue[] } }).devices
  assert.deepEqual(requests, [
    { name: 'one', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } },
    {
      name: 'two',
      firstAvailable: [{ name: 'large', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 }],
    },
  ])
})

test("ResourceClaim: refuses invalid objects with kube-apiserver's messages", () => {
  const first = 'spec.devices.requests[0]'
  refuses(CLAIM, [
    [
      `${first}.name`,
      'A',
      [
        `${first}.name: Invalid value: "A": ${LABEL}`,
        `spec.devices.constraints[0].requests[0]: Invalid value: "one": ${NO_REQUEST}`,
        `spec.devices.config[0].requests[0]: Invalid value: "one": ${NO_REQUEST}`,
      ],
    ],
    [
      `${first}.exactly`,
      undefined,
      `${first}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`,
    ],
    [`${first}.exactly.deviceClassName`, '', `${first}.exactly.deviceClassName: Required value`],
    [`${first}.exactly.count`, -1, `${first}.exactly.count: Invalid value: -1: must be greater than zero`],
    [
      `${first}.exactly.allocationMode`,
      'Some',
      `${first}.exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`,
    ],
    [`${first}.exactly.selectors`, [{}], `${first}.exactly.selectors[0].cel: Required value`],
    [
      `${first}.exactly.tolerations`,
      [{ operator: 'Exists', value: 'x' }],
      `${first}.exactly.tolerations[0].value: Invalid value: "x": must be empty for operator \`Exists\``,
    ],
    [
      'spec.devices.constraints[0].requests',
      ['three'],
      `spec.devices.constraints[0].requests[0]: Invalid value: "three": ${NO_REQUEST}`,
    ],
    [
      'spec.devices.constraints[0].requests',
      ['one', 'one'],
      'spec.devices.constraints[0].requests[1]: Duplicate value: "one"',
    ],
    [
      'spec.devices.constraints[0].matchAttribute',
      'model',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
    ],
    ['spec.devices.config[0].opaque', undefined, 'spec.devices.config[0].opaque: Required value'],
    [
      'spec.devices.config[0].opaque.parameters',
      { long: 'x'.repeat(11_000) },
      'spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes',
    ],
    [
      'spec.devices.requests',
      Array.from({ length: 33 }, (_, i) => ({ name: `r${i}`, exactly: { deviceClassName: 'gpu' } })),
      [
        'spec.devices.requests: Too many: 33: must have at most 32 items',
        `spec.devices.constraints[0].requests[0]: Invalid value: "one": ${NO_REQUEST}`,
        `spec.devices.constraints[0].requests[1]: Invalid value: "two/large": ${NO_REQUEST}`,
        `spec.devices.config[0].requests[0]: Invalid value: "one": ${NO_REQUEST}`,
      ],
    ],
  ])
})

test('DeviceClass: requires selectors that compile, return a bool and are cheap', () => {
  const at = 'spec.selectors[0].cel.expression'
  const problem = (expression: string) => problemsOf(withField(CLASS, at, expression)).join('\n')
  assert.equal(problem('device.attributes["gpu.example.com"].model == "a100"'), '')
  assert.equal(problem('device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0'), '')
  assert.equal(problem('device.allowMultipleAllocations'), '')
  assert.match(problem('device.nothing'), /compilation failed: .*undefined field 'nothing'/s)
  assert.match(problem('device.driver'), /must evaluate to bool or the unknown type, not string$/)
  refuses(CLASS, [
    [
      'spec.extendedResourceName',
      'kubernetes.io/gpu',
      'spec.extendedResourceName: Invalid value: "kubernetes.io/gpu": must be a valid extended resource name',
    ],
    ['spec.config', [{ opaque: { driver: '', parameters: {} } }], 'spec.config[0].opaque.driver: Required value'],
  ])
})

test('ResourceClaim, ResourceClaimTemplate: have an immutable spec', () => {
  for (const object of [CLAIM, TEMPLATE]) {
    const old = created(object)
    assert.deepEqual(problemsOfChange(object, old), [])
    const [problem, ...others] = problemsOfChange({ ...object, spec: {} }, old)
    assert.match(problem ?? '', /^spec: Invalid value: .*: field is immutable$/)
    assert.deepEqual(others, [])
  }
})

const RESULT = { request: 'one', driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' }
const POD = { resource: 'pods', name: 'web', uid: '1' }

test('ResourceClaim: validates its status and keeps the allocation immutable', () => {
  const old = created(CLAIM)
  const status = (value: JsonValue) => problemsOfChange(withField(old, 'status', value), old, 'status')
  const allocation = { devices: { results: [RESULT] } }
  assert.deepEqual(status({ allocation, reservedFor: [POD] }), [])
  assert.deepEqual(status({ reservedFor: [POD] }), [
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ])
  assert.deepEqual(status({ allocation: { devices: { results: [{ ...RESULT, request: 'x', pool: '' }] } } }), [
    `status.allocation.devices.results[0].request: Invalid value: "x": ${NO_REQUEST}`,
    'status.allocation.devices.results[0].pool: Required value',
  ])
  const { request: _, ...device } = RESULT
  assert.deepEqual(status({ allocation, devices: [{ ...device, device: 'gpu-1' }] }), [
    'status.devices[0]: Invalid value: "gpu.example.com/node-1/gpu-1": must be an allocated device in the claim',
  ])
  const allocated = withField(old, 'status', { allocation, devices: [device] })
  const moved = withField(allocated, 'status.allocation.devices.results[0].device', 'gpu-1')
  const problems = problemsOfChange(withField(moved, 'status.devices', undefined), allocated, 'status')
  assert.match(problems.join('\n'), /^status.allocation: Invalid value: .*: field is immutable$/)
})

test("ResourceSlice: refuses invalid objects with kube-apiserver's messages", () => {
  const device = 'spec.devices[0]'
  refuses(SLICE, [
    ['spec.driver', '', 'spec.driver: Required value'],
    [
      'spec.nodeName',
      undefined,
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
    [
      'spec.allNodes',
      true,
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
    ['spec.pool.resourceSliceCount', 0, 'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
    ['spec.devices', [{ name: 'a' }, { name: 'a' }], 'spec.devices[1]: Duplicate value: "a"'],
    [
      `${device}.attributes`,
      { model: {} },
      `${device}.attributes[model]: Invalid value: "": exactly one value must be specified`,
    ],
    [
      `${device}.attributes`,
      { v: { version: '1' } },
      `${device}.attributes[v].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0`,
    ],
    [
      `${device}.capacity`,
      { m: { value: '1', requestPolicy: {} } },
      `${device}.capacity[m].requestPolicy: Forbidden: allowMultipleAllocations must be true`,
    ],
    [
      `${device}.taints`,
      [{ key: 'a b', effect: 'NoSchedule' }],
      `${device}.taints[0].key: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      `${device}.allNodes`,
      true,
      `${device}: Invalid value: null: \`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`,
    ],
    [`${device}.consumesCounters`, [{ counterSet: 'c' }], `${device}.consumesCounters[0].counters: Required value`],
    [
      `${device}.bindingConditions`,
      ['ready'],
      `${device}.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions`,
    ],
  ])
})

test('ResourceSlice: requires a valid request policy of shared capacities', () => {
  const capacity = (requestPolicy: JsonValue) =>
    problemsOf(
      withField(withField(SLICE, 'spec.devices[0].allowMultipleAllocations', true), 'spec.devices[0].capacity', {
        m: { value: '10', requestPolicy },
      }),
    )
  const at = 'spec.devices[0].capacity[m].requestPolicy'
  assert.deepEqual(capacity({ default: '2', validValues: ['1', '2', '10'] }), [])
  assert.deepEqual(capacity({ default: '4', validRange: { min: '2', max: '10', step: '2' } }), [])
  assert.deepEqual(capacity({ validValues: ['1'] }), [
    `${at}.default: Required value: required when validValues is defined`,
  ])
  assert.deepEqual(capacity({ default: '3', validValues: ['2', '1', '11'] }), [
    `${at}.validValues[1]: Invalid value: "1": values must be sorted in ascending order`,
    `${at}.validValues[2]: Invalid value: "11": option is larger than capacity value: 10`,
    `${at}.validValues: Invalid value: "3": default value is not valid according to the requestPolicy`,
  ])
  assert.deepEqual(capacity({ default: '5', validRange: { min: '2', max: '12', step: '2' } }), [
    `${at}.validRange.max: Invalid value: "12": max is larger than capacity value: 10`,
    `${at}.validRange.step: Invalid value: "5": value is not a multiple of a given step (2) from (2)`,
  ])
})

test('ResourceSlice: sets timeAdded of taints and drops alpha fields', () => {
  const tainted = withField(SLICE, 'spec.devices[0].taints', [{ key: 'a', effect: 'NoSchedule' }])
  const alpha = withField(tainted, 'spec.devices[0].nodeAllocatableResourceMappings', {
    cpu: { allocationMultiplier: '1' },
  })
  const [device] = (created(alpha).spec as { devices: { taints: JsonValue[] }[] }).devices
  assert.deepEqual(device?.taints, [{ key: 'a', effect: 'NoSchedule', timeAdded: '1970-01-01T00:00:00Z' }])
  assert.ok(device !== undefined && !('nodeAllocatableResourceMappings' in device))
})

test('ResourceSlice: keeps pool, driver and node immutable', () => {
  const old = created(SLICE)
  assert.deepEqual(problemsOfChange(withField(SLICE, 'spec.nodeName', 'node-2'), old), [
    'spec.nodeName: Invalid value: "node-2": field is immutable',
  ])
})

test('ResourceClaim: refuses expressions that are too long in total before it compiles them', () => {
  const expression = `${'[1].map(x,'.repeat(200)}[1]${')'.repeat(200)}.size() > 0`
  const selectors = Array.from({ length: 32 }, () => ({ cel: { expression } }))
  const requests = (of: (index: number) => object) =>
    Array.from({ length: 32 }, (_, index) => ({ name: `r${index}`, ...of(index) })) as JsonValue
  const detail = 'the expressions of all selectors may not be longer than 131072 characters together'
  const problem = [`spec.devices.requests: Forbidden: ${detail}`]
  const devices = (list: JsonValue) => withField(withField(CLAIM, 'spec.devices', {}), 'spec.devices.requests', list)
  const exactly = requests(() => ({ exactly: { deviceClassName: 'gpu', selectors } }))
  assert.deepEqual(problemsOf(devices(exactly)), problem)
  const alternatives = requests(() => ({ firstAvailable: [{ name: 'a', deviceClassName: 'gpu', selectors }] }))
  assert.deepEqual(problemsOf(devices(alternatives)), problem)
})
