import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Organization } from '../../kinds/organization.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { zoneQuotaProblem } from './zone-quota.js'

const acme = {
  metadata: { name: 'acme' },
  spec: { zoneQuotas: [{ zone: 'east', cpu: '8', memory: '16Gi' }] },
} as unknown as Organization
const vdc = (uid: string, zone: string, cpu: string) =>
  ({
    metadata: { uid },
    spec: { quota: { cpu, memory: '4Gi' } },
    status: { zone },
  }) as unknown as VirtualDataCenter
const others = [vdc('1', 'east', '6'), vdc('2', 'west', '6')]

test('zoneQuotaProblem: counts the virtual data centers of the zone, and not the one that changes', () => {
  const quota = { cpu: '2', memory: '4Gi' }
  assert.equal(zoneQuotaProblem({ quota }, 'east', acme, others), undefined)
  assert.deepEqual(zoneQuotaProblem({ quota: { ...quota, cpu: '2500m' } }, 'east', acme, others), {
    resource: 'cpu',
    message: 'quota of organization acme in zone east exceeded: 2500m requested, 6 of 8 in use',
  })
  assert.equal(zoneQuotaProblem({ uid: '1', quota: { ...quota, cpu: '8' } }, 'east', acme, others), undefined)
})

test('zoneQuotaProblem: requires a limit for every resource that has one, and nothing in other zones', () => {
  assert.deepEqual(zoneQuotaProblem({ quota: { cpu: '1' } }, 'east', acme, []), {
    resource: 'memory',
    message: 'required: organization acme in zone east has a quota of 16Gi',
  })
  assert.equal(zoneQuotaProblem({}, 'west', acme, others), undefined)
})
