import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualDataCenter } from '../kinds/virtual-data-center.js'
import type { Zone } from '../kinds/zone.js'
import { type ExplainedState, explanationText } from './explanation.js'
import { explainVdc } from './vdcs.js'
import type { Zones } from './zone-problem.js'

function zone(status: string): Zones {
  const conditions = [{ type: 'AgentConnected', status, reason: 'X', message: 'the agent has not reported' }]
  return new Map([['east', { metadata: { name: 'east' }, status: { conditions } } as unknown as Zone]])
}

const HERE = zone('True')

function vdc(status: object, ready: readonly [status: string, reason: string], more: object = {}): VirtualDataCenter {
  const [is, reason] = ready
  const conditions = [{ type: 'Ready', status: is, reason, message: 'why' }]
  return {
    metadata: { namespace: 'org-acme', name: 'dev', generation: 2, ...more },
    spec: { zoneId: 'east' },
    status: { observedGeneration: 2, zone: 'east', conditions, ...status },
  } as unknown as VirtualDataCenter
}

const active = { phase: 'Active' }
const deleting = { deletionTimestamp: '2030-01-01T00:00:00Z' }

const CASES: readonly (readonly [string, VirtualDataCenter, Zones, ExplainedState, RegExp])[] = [
  ['active', vdc(active, ['True', 'Applied']), HERE, 'as-requested', /^exists in zone east$/],
  [
    'being changed',
    vdc({ ...active, message: 'is being changed' }, ['False', 'Applying']),
    HERE,
    'in-progress',
    /^is being changed$/,
  ],
  [
    'changed and not seen yet',
    vdc({ ...active, observedGeneration: 1 }, ['True', 'Applied']),
    HERE,
    'in-progress',
    /^why$/,
  ],
  [
    'waiting for an operation',
    vdc({ ...active, operation: { phase: 'Pending' } }, ['True', 'Applied']),
    HERE,
    'in-progress',
    /^why$/,
  ],
  [
    'in a zone that is away',
    vdc(active, ['True', 'Applied']),
    zone('Unknown'),
    'waiting',
    /^is active: zone east is disconnected.*orrery zone describe east/,
  ],
  [
    'not placed',
    vdc({ phase: 'Pending' }, ['False', 'NotPlaced']),
    HERE,
    'refused',
    /^why\. Choose a zone from `orrery zone list`/,
  ],
  [
    'above the limit of its organization',
    vdc({ phase: 'Pending' }, ['False', 'ZoneQuotaExceeded']),
    HERE,
    'refused',
    /^why\. Use a smaller quota/,
  ],
  ['failed', vdc({ phase: 'Failed' }, ['False', 'OperationFailed']), HERE, 'failed', /^why\. Fix the reason/],
  ['being deleted', vdc(active, ['True', 'Applied'], deleting), HERE, 'in-progress', /^is being deleted$/],
  [
    'kept by its machines',
    vdc(active, ['False', 'VirtualMachinesExist'], deleting),
    HERE,
    'waiting',
    /^is being deleted: why\. .*orrery vdc describe dev/,
  ],
]

for (const [what, object, zones, state, text] of CASES) {
  test(`explainVdc: a virtual data center that is ${what} is ${state}`, () => {
    const explanation = explainVdc(object, zones)
    assert.equal(explanation.state, state, explanation.text)
    assert.match(explanationText(explanation), text)
  })
}
