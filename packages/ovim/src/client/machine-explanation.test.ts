import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import type { Zone } from '../kinds/zone.js'
import { type ExplainedState, explanationText, isProblem } from './explanation.js'
import { explainMachine } from './machine-explanation.js'
import { powerChange } from './machine-power.js'
import type { Zones } from './zone-problem.js'

const NOW = new Date('2030-01-01T00:00:00Z')

function zone(connected: string): Zones {
  const message = 'the agent has not reported since 2029-12-31T23:00:00Z'
  const conditions = [{ type: 'AgentConnected', status: connected, reason: 'X', message }]
  return new Map([['east', { metadata: { name: 'east' }, status: { conditions } } as unknown as Zone]])
}

const HERE = zone('True')
const AWAY = zone('Unknown')

function machine(status: object, spec: object = {}, metadata: object = {}): VirtualMachineRequest {
  return {
    metadata: { namespace: 'org-acme', name: 'web', generation: 2, ...metadata },
    spec: { vdc: 'dev', template: 'small', powerState: 'Running', ...spec },
    status: { observedGeneration: 2, ...status },
  } as unknown as VirtualMachineRequest
}

const condition = (type: string, reason: string, message = 'why') => ({ type, status: 'False', reason, message })
const refused = (reason: string, message?: string) => ({
  phase: 'error',
  conditions: [condition('Scheduled', reason, message)],
})
const running = { created: true, phase: 'running', zone: 'east' }
const failed = (message: string, more: object = {}) => ({
  ...running,
  phase: 'error',
  operation: { type: 'VMCreate', phase: 'Failed', failures: 1, retryAt: '2030-01-01T00:00:15Z', ...more },
  conditions: [condition('Ready', 'OperationFailed', message)],
})
const error = (printableStatus: string) => ({ ...running, phase: 'error', printableStatus, message: 'details' })

const CASES: readonly (readonly [
  what: string,
  request: VirtualMachineRequest,
  zones: Zones,
  state: ExplainedState,
  text: RegExp,
])[] = [
  ['new', machine({}), HERE, 'in-progress', /^is not handled yet\. .*hub service runs/],
  ['running', machine(running), HERE, 'as-requested', /^is running$/],
  [
    'stopped',
    machine({ ...running, phase: 'stopped' }, { powerState: 'Stopped' }),
    HERE,
    'as-requested',
    /^is stopped$/,
  ],
  ['changed', machine({ ...running, message: 'a restart is required' }), HERE, 'as-requested', /orrery vm restart web/],
  [
    'running, by a zone that is away',
    machine(running),
    AWAY,
    'waiting',
    /^was running when .*zone east is disconnected: .*since 2029.*orrery zone describe east/,
  ],
  ['running, by a zone that nobody may read', machine(running), undefined, 'as-requested', /^is running$/],
  ['in a zone that is gone', machine(running), new Map(), 'waiting', /zone east does not exist any more/],
  ['of a disabled organization', machine(refused('OrganizationDisabled')), HERE, 'refused', /orrery org enable acme/],
  [
    'without a template',
    machine(refused('TemplateNotFound', 'template "small" does not exist')),
    HERE,
    'refused',
    /^template "small" does not exist\. .*orrery template list.*orrery vm delete web/,
  ],
  [
    'above the quota',
    machine(refused('QuotaExceeded', 'quota of virtual data center dev exceeded')),
    HERE,
    'refused',
    /^quota .* exceeded\. .*orrery vdc update dev/,
  ],
  ['without a data center', machine(refused('VirtualDataCenterNotFound')), HERE, 'refused', /orrery vdc list/],
  [
    'not placed',
    machine(refused('NotPlaced'), { placementRef: { name: 'eu' } }),
    HERE,
    'refused',
    /orrery explain placement eu -n org-acme/,
  ],
  [
    'refused before it was changed',
    machine({ ...refused('TooSmall'), observedGeneration: 1, message: 'old' }),
    HERE,
    'failed',
    /^old$/,
  ],
  [
    'waiting for its data center',
    machine({
      phase: 'pending',
      conditions: [condition('Ready', 'VirtualDataCenterNotReady', 'waits for virtual data center dev')],
    }),
    HERE,
    'waiting',
    /^waits for virtual data center dev\. See `orrery vdc describe dev`/,
  ],
  [
    'failed',
    machine(failed('VMCreate failed: no disk')),
    HERE,
    'failed',
    /^VMCreate failed: no disk \(1 in a row, repeated in 15s\)\. Fix the reason/,
  ],
  [
    'failed by the quota of the cluster',
    machine(failed('VMCreate failed: exceeded quota: vdc-quota')),
    HERE,
    'failed',
    /orrery vdc update dev/,
  ],
  [
    'failed and repeated',
    machine(failed('no disk', { phase: 'Pending', retryAt: undefined })),
    HERE,
    'failed',
    /repeated now/,
  ],
  [
    'without its image',
    machine(error('ErrImagePull')),
    HERE,
    'failed',
    /^the cluster cannot pull its disk image: details\. .*orrery template describe small/,
  ],
  ['without a node', machine(error('ErrorUnschedulable')), HERE, 'failed', /no node of the cluster has room/],
  ['without its volume', machine(error('ErrorPvcNotFound')), HERE, 'failed', /its volume does not exist/],
  ['without its disk', machine(error('DataVolumeError')), HERE, 'failed', /its disk cannot be imported/],
  [
    'crashing',
    machine(error('CrashLoopBackOff')),
    HERE,
    'failed',
    /stops soon after each start.*orrery vm console web/,
  ],
  [
    'lost with its node',
    machine({ ...error('Unknown'), phase: 'unknown' }),
    HERE,
    'failed',
    /its node does not report/,
  ],
  ['of an unknown error', machine({ ...error('New'), message: undefined }), HERE, 'failed', /^is in the state error$/],
  [
    'queued',
    machine({ phase: 'pending', zone: 'east', operation: { type: 'VMCreate', phase: 'Pending' } }),
    HERE,
    'in-progress',
    /^is pending: VMCreate waits for the agent$/,
  ],
  [
    'queued for a zone that is away',
    machine({ phase: 'pending', zone: 'east', operation: { type: 'VMCreate', phase: 'Pending' } }),
    AWAY,
    'waiting',
    /^zone east is disconnected/,
  ],
  [
    'being stopped',
    machine({ ...running, operation: { type: 'VMStop', phase: 'Leased' } }, { powerState: 'Stopped' }),
    HERE,
    'in-progress',
    /^is running: VMStop is being executed$/,
  ],
  [
    'being restarted',
    machine(running, { restartedAt: '2030-01-01T00:00:00Z' }),
    HERE,
    'in-progress',
    /^is running: Running is requested$/,
  ],
  ['being deleted', machine(running, {}, { deletionTimestamp: 'T' }), HERE, 'in-progress', /^is being deleted$/],
  [
    'being deleted in a zone that is away',
    machine(running, {}, { deletionTimestamp: 'T' }),
    AWAY,
    'waiting',
    /zone east is disconnected/,
  ],
  [
    'not deleted',
    machine(failed('VMDelete failed: no'), {}, { deletionTimestamp: 'T' }),
    HERE,
    'failed',
    /VMDelete failed: no/,
  ],
]

for (const [what, request, zones, state, text] of CASES) {
  test(`explainMachine: a machine that is ${what} is ${state}`, () => {
    const explanation = explainMachine(request, zones, NOW)
    assert.equal(explanation.state, state, explanation.text)
    assert.match(explanationText(explanation), text)
    assert.equal(isProblem(explanation), !['as-requested', 'in-progress'].includes(state))
  })
}

test('powerChange: asks for a power state, and refuses what a stopped machine cannot do', () => {
  const on = machine(running)
  const off = machine(running, { powerState: 'Stopped' })
  assert.deepEqual(powerChange(off, 'start', NOW), { powerState: 'Running' })
  assert.deepEqual(powerChange(on, 'stop', NOW), { powerState: 'Stopped' })
  assert.deepEqual(powerChange(on, 'pause', NOW), { powerState: 'Paused' })
  assert.deepEqual(powerChange(on, 'unpause', NOW), { powerState: 'Running' })
  const restarted = powerChange(on, 'restart', NOW)
  assert.deepEqual(restarted, { powerState: 'Running', restartedAt: '2030-01-01T00:00:00Z' })
  const again = powerChange(machine(running, restarted), 'restart', NOW)
  assert.equal(again.restartedAt, '2030-01-01T00:00:01Z', 'a second restart within a second')
  for (const action of ['restart', 'pause', 'unpause'] as const) {
    assert.throws(() => powerChange(off, action, NOW), /web is stopped: start it with `orrery vm start web`/)
  }
})
