import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnerReference, PersistentVolumeClaim, Pod, StatefulSet, StatefulSetSpec } from '@orrery/kinds'
import { claimOwners } from './claim-owners.js'

type Policy = StatefulSetSpec['persistentVolumeClaimRetentionPolicy']

const metadata = { namespace: 'ns', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' }
const template = { spec: { containers: [{ name: 'c' }] } }
const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'db-1', uid: 'pod' }, ...template }
const controls = { controller: true, blockOwnerDeletion: true }
const bySet = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set', ...controls }
const byPod = { apiVersion: 'v1', kind: 'Pod', name: 'db-1', uid: 'pod', ...controls }
const byOther = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' }

function setWith(policy: Policy): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata, name: 'db', uid: 'set' },
    spec: { selector: {}, template, ...(policy !== undefined && { persistentVolumeClaimRetentionPolicy: policy }) },
  }
}

function claimOf(...ownerReferences: OwnerReference[]): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, name: 'data-db-1', uid: 'claim', ownerReferences },
  }
}

function namesOf(references: readonly OwnerReference[] | undefined) {
  return references?.map(({ name, controller }) => (controller === true ? `${name}!` : name))
}

test('claimOwners: sets the StatefulSet, the surplus pod or no owner according to the retention policy', () => {
  const owners = (policy: Policy, isSurplus: boolean) =>
    namesOf(claimOwners(claimOf(byOther), setWith(policy), pod, isSurplus))
  assert.equal(owners(undefined, true), undefined)
  assert.deepEqual(owners({ whenDeleted: 'Delete' }, false), ['other', 'db!'])
  assert.deepEqual(owners({ whenDeleted: 'Delete' }, true), ['other', 'db!'])
  assert.equal(owners({ whenScaled: 'Delete' }, false), undefined)
  assert.deepEqual(owners({ whenScaled: 'Delete', whenDeleted: 'Delete' }, true), ['other', 'db-1!'])
})

test('claimOwners: keeps correct owners and removes former ones', () => {
  const policy: Policy = { whenScaled: 'Delete', whenDeleted: 'Delete' }
  const claim = claimOf(bySet)
  assert.equal(claimOwners(claim, setWith(policy), pod, false), undefined)
  assert.deepEqual(namesOf(claimOwners(claim, setWith(policy), pod, true)), ['db-1!'])
  assert.deepEqual(namesOf(claimOwners(claimOf(byPod), setWith(undefined), pod, false)), [])
})

test('claimOwners: ignores claims with another controller and claims of a former StatefulSet', () => {
  const policy: Policy = { whenScaled: 'Delete', whenDeleted: 'Delete' }
  const taken = claimOf({ ...byOther, controller: true }, { ...bySet, controller: false })
  assert.deepEqual(namesOf(claimOwners(taken, setWith(policy), pod, false)), ['other!'])
  const former = claimOf({ ...bySet, uid: 'former' })
  assert.equal(claimOwners(former, setWith(policy), pod, false), undefined)
})
