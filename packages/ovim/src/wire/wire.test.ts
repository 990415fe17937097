import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  isFinal,
  NO_RESOURCES,
  nanoseconds,
  OPERATION_TYPES,
  operationTypeOf,
  publicOperationName,
  RESULT_STATUSES,
  readOperation,
  readOperationResult,
  readOperations,
  readStatusReport,
  readTemplateSync,
  readTemplates,
  readVdcCreate,
  readVdcDelete,
  readVdcDeletionMessage,
  readVdcStatusMessage,
  readVmCreate,
  readVmTarget,
  readVmUpdate,
  resourceMetrics,
  type StatusReport,
  WireError,
} from './index.js'

function problemsOf(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return error.fields.map(({ field, body }) => `${field}: ${body}`)
  }
  return []
}

const REPORT: StatusReport = {
  agent_id: 'a',
  cluster_id: 'c',
  zone_id: 'z',
  status: 'healthy',
  version: '1',
  metrics: {
    cluster_id: 'c',
    zone_id: 'z',
    resources: resourceMetrics({ cpu_used: 500, cpu_capacity: 2_000 }),
    node_status: [{ name: 'n', status: 'Ready', cpu: NO_RESOURCES, memory: NO_RESOURCES, storage: NO_RESOURCES }],
    last_collected: '2030-01-01T00:00:00Z',
  },
  vdcs: [
    {
      name: 'dev',
      namespace: 'vdc-a-dev',
      status: 'Active',
      resource_usage: NO_RESOURCES,
      created_at: '2030-01-01T00:00:00Z',
      updated_at: '2030-01-01T00:00:00Z',
    },
  ],
  vms: [
    {
      name: 'web',
      namespace: 'vdc-a-dev',
      status: 'running',
      phase: 'Running',
      created_at: '2030-01-01T00:00:00Z',
      updated_at: '2030-01-01T00:00:00Z',
      labels: { tier: 'gold' },
    },
  ],
  last_hub_contact: '2030-01-01T00:00:00Z',
  report_time: '2030-01-01T00:00:00Z',
  state: 'Healthy',
  health: { status: 'healthy', checks: [], uptime: 1, version: '1', last_report: '2030-01-01T00:00:00Z' },
}

test('wire: a status report is read as it was written', () => {
  assert.deepEqual(readStatusReport(JSON.parse(JSON.stringify(REPORT))), REPORT)
})

test('wire: percentages follow from use and capacity', () => {
  assert.equal(REPORT.metrics.resources.cpu_percent, 25)
  assert.equal(NO_RESOURCES.memory_percent, 0)
})

test('wire: a report of a Go agent, with null for empty lists and unknown fields, is accepted', () => {
  const { vdcs, vms } = readStatusReport({ ...REPORT, vdcs: null, vms: null, health: null, more: 1 })
  assert.deepEqual([vdcs, vms], [[], []])
})

test('wire: every wrong field is named', () => {
  assert.deepEqual(
    problemsOf(() => readStatusReport({ agent_id: 1, status: 'great', vms: [{ name: 'x' }, 3] })),
    [
      'agent_id: Invalid value: 1: must be a string',
      'cluster_id: Required value',
      'zone_id: Required value',
      'status: Unsupported value: "great": supported values: "healthy", "degraded", "unavailable"',
      'vms[0].namespace: Required value',
      'vms[1]: Invalid value: 3: must be an object',
    ],
  )
  for (const value of [null, 3, 'x', []]) assert.equal(problemsOf(() => readStatusReport(value)).length, 1)
})

test('wire: the readers throw nothing but a WireError, whatever they get', () => {
  const readers = [
    readStatusReport,
    readOperation,
    readOperations,
    readOperationResult,
    readTemplateSync,
    readTemplates,
    readVmCreate,
    readVmUpdate,
    readVdcDelete,
    readVdcStatusMessage,
    readVdcDeletionMessage,
    (value: unknown) => readVmTarget('VMStart', value),
    (value: unknown) => readVdcCreate('VDCCreate', value),
  ]
  const keys = fc.constantFrom('name', 'namespace', 'cpu', 'payload', 'templates', 'image', 'vms', 'quota', 'id')
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())), (value) => {
      for (const read of readers) {
        try {
          read(value)
        } catch (error) {
          assert.ok(error instanceof WireError, String(error))
        }
      }
    }),
  )
})

test('wire: operation types have the name of the public implementation too', () => {
  for (const type of OPERATION_TYPES) {
    assert.equal(operationTypeOf(type), type)
    assert.equal(operationTypeOf(publicOperationName(type)), type)
  }
  assert.equal(operationTypeOf('migrate_vm'), undefined)
})

test('wire: results have a status, and the id of the path counts', () => {
  const read = readOperationResult({ operation_id: 'x', status: 'completed', duration: nanoseconds(1.5) }, 'y')
  assert.deepEqual(read, { operation_id: 'y', status: 'completed', timestamp: '', duration: 1_500_000 })
  assert.deepEqual(
    problemsOf(() => readOperationResult({ operation_id: 'x' })),
    ['status: Required value'],
  )
  assert.deepEqual(RESULT_STATUSES.filter(isFinal), ['completed', 'failed'])
})

test('wire: VMCreate accepts both shapes of the public implementation', () => {
  const first = readVmCreate({
    name: 'w',
    namespace: 'n',
    template_name: 't',
    cpu: '2',
    memory: '4Gi',
    storage: '20Gi',
  })
  const second = readVmCreate({ name: 'w', namespace: 'n', template: 't', cpu: 2, memory: 4, disk_size: 20 })
  assert.deepEqual(first, second)
  assert.deepEqual(
    problemsOf(() => readVmCreate({ name: 'w', namespace: 'n', memory: '-1Gi' })),
    [
      'payload.template_name: Required value: or give the template itself',
      'payload.memory: Invalid value: "-1Gi": must be a quantity, such as "2" or "4Gi"',
    ],
  )
})

test('wire: VMCreate with its template needs exactly one image', () => {
  const embedded = (image: object) => ({ name: 'w', namespace: 'n', template: { name: 't', image } })
  assert.equal(readVmCreate(embedded({ http: 'https://x' })).template_name, 't')
  assert.match(
    problemsOf(() => readVmCreate(embedded({}))).join(),
    /payload.template.image: Required value: set one of/,
  )
  assert.match(
    problemsOf(() => readVmCreate(embedded({ http: 'a', registry: 'b' }))).join(),
    /payload.template.image: Forbidden: only one of/,
  )
})

test('wire: VDCCreate accepts both shapes, and plain numbers have the documented units', () => {
  const expected = {
    vdc_name: 'dev',
    vdc_namespace: 'org-acme',
    target_namespace: 'vdc-acme-dev',
    organization: 'acme',
    quota: { cpu: '4', memory: '8Gi', storage: '100Gi' },
    limit_range: { min_cpu: '100m', max_memory: '512Mi' },
    network_policy: 'isolated',
  }
  const quota = { cpu: 4, memory: 8, storage: 100 }
  const limit_range = { min_cpu: 100, max_memory: 512 }
  const network_policy = 'isolated'
  assert.deepEqual(
    readVdcCreate('VDCCreate', { vdc_name: 'dev', organization: 'acme', quota, limit_range, network_policy }),
    expected,
  )
  assert.deepEqual(
    readVdcCreate('VDCUpdate', {
      name: 'dev',
      organization_name: 'acme',
      cpu_quota: 4,
      memory_quota: 8,
      storage_quota: 100,
      min_cpu: 100,
      max_memory: 512,
      network_policy,
    }),
    expected,
  )
  const long = 'x'.repeat(40)
  assert.match(
    problemsOf(() => readVdcCreate('VDCCreate', { vdc_name: long, organization: long })).join(),
    /payload.target_namespace: Invalid value: .*must be no more than 63/,
  )
})
