import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportClaim, withdrawReports } from '@orrery/addon/agent'
import { ClusterClaim, SPOKE_ONLY_LABEL } from '@orrery/api'
import { ClusterRoleBinding, CustomResourceDefinition } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { ownerReferenceTo } from '@orrery/kube/write'
import { startReportingAgent } from './report-agent.js'

const claim = { name: 'basic-addon.k8s-version', value: 'v1.34.0' }
const ref = { name: claim.name }

test('reportClaim: writes on a change, and is deleted with its owner', async (t) => {
  const { agent, admin, clock, requests } = await startReportingAgent(t)
  const owner = ownerReferenceTo(await admin.get(ClusterRoleBinding, { name: 'agent' }), ClusterRoleBinding)
  assert.equal((await reportClaim(agent, { ...claim, owner })).written, true)
  const written = await admin.get(ClusterClaim, ref)
  assert.equal(written.spec?.value, 'v1.34.0')
  assert.equal(written.metadata.annotations?.['addon.orrery.dev/valid-until'], '2030-01-01T01:00:00Z')
  requests()
  clock.advance(299_000)
  assert.equal((await reportClaim(agent, { ...claim, owner })).written, false)
  assert.deepEqual(requests(), [])
  assert.equal((await reportClaim(agent, { ...claim, value: 'v1.35.0', owner })).written, true)
  assert.equal((await admin.get(ClusterClaim, ref)).spec?.value, 'v1.35.0')
  await admin.delete(ClusterRoleBinding, { name: 'agent' })
  await eventually('the claim is gone', async () => (await admin.find(ClusterClaim, ref)) === undefined)
})

test('reportClaim: refuses names and values that cannot be claims', async (t) => {
  const { agent } = await startReportingAgent(t)
  const refused = (change: object, said: RegExp) => assert.rejects(reportClaim(agent, { ...claim, ...change }), said)
  await refused({ value: '' }, /claim "basic-addon.k8s-version": value is empty, and a claim has 1 to 1024/)
  await refused({ value: 'x'.repeat(1_025) }, /value has 1025 characters, and a claim has 1 to 1024/)
  await refused({ name: 'Not A Name' }, /claim "Not A Name": name: /)
})

test('reportClaim: refuses a claim beyond the limit of the agent, but reserved and private ones do not count', async (t) => {
  const { agent, admin } = await startReportingAgent(t)
  const create = (name: string, labels = {}) =>
    admin.create(ClusterClaim, { metadata: { name, labels }, spec: { value: 'x' } })
  for (let index = 0; index < 19; index++) await create(`claim-${index}`)
  await create('id.k8s.io')
  await create('private', { [SPOKE_ONLY_LABEL]: '' })
  await reportClaim(agent, claim)
  await assert.rejects(
    reportClaim(agent, { ...claim, name: 'another' }),
    /^RangeError: claim "another": the cluster has 20 claims, and its agent reports at most 20: delete a claim/,
  )
  await reportClaim(agent, { ...claim, name: 'another', maxClaims: 21 })
  await reportClaim(agent, { ...claim, name: 'product.open-cluster-management.io' })
})

test('reportClaim: says what is missing on a cluster without ClusterClaims', async (t) => {
  const { agent, admin } = await startReportingAgent(t)
  await admin.delete(CustomResourceDefinition, { name: 'clusterclaims.cluster.open-cluster-management.io' })
  await eventually('the kind is gone', () =>
    admin.list(ClusterClaim).then(
      () => false,
      () => true,
    ),
  )
  await assert.rejects(reportClaim(agent, claim), /the managed cluster does not serve ClusterClaims: install their CRD/)
})

test('withdrawReports: deletes claims, and ignores those that do not exist', async (t) => {
  const { agent, admin } = await startReportingAgent(t)
  await reportClaim(agent, claim)
  await withdrawReports({ ...agent, managed: admin }, { claims: [claim.name, 'never.reported'] })
  assert.equal(await admin.find(ClusterClaim, ref), undefined)
})
