import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { ConfigMap, Deployment, Namespace, ResourceQuota } from '@orrery/kinds'
import { AGENT, allow, RBAC } from './allowing.js'
import { guard } from './guard.js'
import { conditionTextsOf } from './statusreading.js'
import { appliedOf, configMap, inDefault, says, WorkPair } from './work-pair.js'

function deployment(name: string, app: string, containers: object[] = [{ name: 'c', image: 'i' }]) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inDefault(name),
    spec: {
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers } },
    },
  }
}

const of = (apiVersion: string, kind: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: inDefault('x'),
  ...more,
})

/** Manifests that a cluster rejects, each with the reason and the fix. */
const REFUSED: readonly (readonly [what: string, manifest: object, why: RegExp, advice: RegExp])[] = [
  [
    'a name that is none',
    configMap('Not A Name', {}),
    /configmaps default\/Not A Name: ConfigMap "Not A Name" is invalid: metadata\.name: Invalid value/,
    /\. Correct metadata\.name in the manifest$/,
  ],
  [
    'values that do not fit',
    deployment('wrong', 'web', [{ name: 'c' }]),
    /spec\.template\.spec\.containers\[0\]\.image: Required value/,
    /\. Correct spec\.template\.spec\.containers\[0\]\.image in the manifest$/,
  ],
  [
    'values of another type',
    configMap('typed', 'text' as never),
    /configmaps default\/typed: /,
    /\. Correct the manifest: it is not a valid ConfigMap of v1$/,
  ],
  [
    'a field that cannot be changed',
    deployment('there', 'another'),
    /field is immutable/,
    /\. An existing Deployment cannot be changed in this way: use another name, or delete it first$/,
  ],
  [
    'a kind that the cluster does not have',
    of('example.com/v1', 'Gadget'),
    /^Failed to apply manifest: no matches for kind "Gadget" in version "example\.com\/v1"/,
    /\. Install the CustomResourceDefinition of Gadget, add it to the work, or use an apiVersion that the cluster serves/,
  ],
  [
    'a version that the cluster does not have',
    of('apps/v1beta2', 'Deployment'),
    /no matches for kind "Deployment" in version "apps\/v1beta2".*did you mean .*apps\/v1/,
    /use an apiVersion that the cluster serves/,
  ],
  [
    'a namespace that is not there',
    configMap('lost', {}, { namespace: 'nowhere' }),
    /namespaces "nowhere" not found/,
    /\. Add a manifest for namespace "nowhere" to the work, or create it first$/,
  ],
  [
    'a namespace that goes',
    configMap('late', {}, { namespace: 'going' }),
    /because it is being terminated/,
    /\. Wait until namespace "going" is deleted and create it again, or use another: the agent retries$/,
  ],
  [
    'no namespace',
    configMap('homeless', {}, { namespace: undefined }),
    /objects of kind ConfigMap are namespaced/,
    /\. Set metadata\.namespace$/,
  ],
  [
    'a quota that is used up',
    configMap('more', {}, { namespace: 'full' }),
    /exceeded quota: none, requested: configmaps=1/,
    /\. Request less, or raise ResourceQuota "none" in namespace "full": the agent retries$/,
  ],
  [
    'more than an object may hold',
    configMap('huge', { x: 'x'.repeat(1_048_577) }),
    /Too long/,
    /\. Split it into several objects, or store the large data elsewhere$/,
  ],
  [
    'a webhook that denies it',
    of('v1', 'LimitRange', { spec: { limits: [] } }),
    /admission webhook "denies\.example\.com" denied the request: not on a Sunday/,
    /\. Change the manifest as webhook "denies\.example\.com" requires, or change the webhook$/,
  ],
  [
    'a webhook that does not answer',
    of('v1', 'Service', { spec: { ports: [{ port: 80 }] } }),
    /failed calling webhook "silent\.example\.com"/,
    /\. Make sure that webhook "silent\.example\.com" of the cluster answers, or delete its configuration/,
  ],
  [
    'an account that is not there',
    of('v1', 'Pod', { spec: { serviceAccountName: 'nobody', containers: [{ name: 'c', image: 'i' }] } }),
    /error looking up service account default\/nobody/,
    /\. Add a manifest for service account default\/nobody to the work, or create it first$/,
  ],
  [
    'a quota of what it does not ask for',
    {
      ...of('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'i' }] } }),
      metadata: { namespace: 'full', name: 'x' },
    },
    /failed quota: none: must specify requests\.cpu for: c/,
    /\. Set requests\.cpu for: c in the manifest: ResourceQuota "none" requires it$/,
  ],
]

async function prepare({ spoke }: WorkPair): Promise<void> {
  for (const name of ['full', 'going']) await spoke.client.create(Namespace, { metadata: { name } })
  await spoke.client.create(ResourceQuota, {
    metadata: { namespace: 'full', name: 'none' },
    spec: { hard: { configmaps: '0', 'requests.cpu': '1' } },
  })
  await spoke.client.create(ConfigMap, {
    metadata: { namespace: 'going', name: 'held', finalizers: ['example.com/hold'] },
  })
  await spoke.client.delete(Namespace, { name: 'going' })
  await spoke.client.create(Deployment, deployment('there', 'web') as never)
}

test('work: each manifest that cannot be applied has the object, the problem and the fix, and the others are applied', async (t) => {
  const pair = await WorkPair.start(t)
  await prepare(pair)
  await guard(t, pair.spoke, {
    name: 'denies.example.com',
    group: '',
    resource: 'limitranges',
    denial: 'not on a Sunday',
  })
  await guard(t, pair.spoke, { name: 'silent.example.com', group: '', resource: 'services' })
  await pair.startAgent()
  const good = configMap('good', { x: '1' })
  await pair.createWork('bad', [...REFUSED.map(([, manifest]) => manifest), good])
  const work = await pair.whenWork('bad', (work) => says(work, 'Applied', 'False'))
  for (const [ordinal, [what, , why, advice]] of REFUSED.entries()) {
    await t.test(what, () => {
      const { status, reason, message = '' } = appliedOf(work, ordinal) ?? {}
      assert.equal(status, 'False')
      assert.equal(reason, 'AppliedManifestFailed')
      assert.match(message, /^Failed to apply manifest: /)
      assert.match(message, why)
      assert.match(message, advice)
    })
  }
  assert.equal(appliedOf(work, REFUSED.length)?.status, 'True')
  await pair.spoke.client.get(ConfigMap, inDefault('good'))
  const total = REFUSED.length + 1
  assert.match(
    conditionTextsOf(work).Applied ?? '',
    new RegExp(
      `^False AppliedManifestWorkFailed: Failed to apply manifest work: ${REFUSED.length} of ${total} manifests`,
    ),
  )
})

test('work: the hub rejects a manifest without a kind, and the agent reports one without a name', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const { metadata } = configMap('a', {})
  await assert.rejects(pair.createWork('w', [{ metadata }]), /manifests\[0\]\.(apiVersion|kind): Required value/)
  await assert.rejects(pair.createWork('w', ['text' as never]), /manifests\[0\]/)
  await pair.createWork('w', [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }, configMap('good', { x: '1' })])
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.equal(appliedOf(work, 0)?.message, 'Failed to apply manifest: it has no name. Set metadata.name')
  assert.match(
    conditionTextsOf(work).Applied ?? '',
    /1 of 2 manifests: manifest 1: Failed to apply manifest: it has no name/,
  )
  assert.equal(appliedOf(work, 1)?.status, 'True')
})

const RECORDS = { apiGroups: ['work.open-cluster-management.io'], resources: ['*'], verbs: ['*'] }
const WRITING = ['get', 'list', 'watch', 'create', 'update', 'patch']
const ROLES = { apiGroups: [RBAC], resources: ['roles'], verbs: WRITING }
const MAPS = { apiGroups: [''], resources: ['configmaps'], verbs: WRITING }

test('work: an agent without a permission reports it, and how to grant it', async (t) => {
  const pair = await WorkPair.start(t)
  await allow(pair.spoke, AGENT, [RECORDS, ROLES, MAPS])
  await pair.startAgent({ spoke: pair.spoke.asUser('agent') })
  const role = of(`${RBAC}/v1`, 'Role', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] })
  await pair.createWork('w', [of('v1', 'Secret'), role, configMap('good', { x: '1' })])
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  const conditionTexts = (ordinal: number) => appliedOf(work, ordinal)?.message ?? ''
  assert.match(conditionTexts(0), /secrets.* is forbidden: User "agent" cannot \w+ resource "secrets" in API group ""/)
  assert.match(
    conditionTexts(0),
    /Grant the agent this permission with a ClusterRole labelled .*\/aggregate-to-work=true that has the rule/,
  )
  const rule = /rule (\{.*\})$/.exec(conditionTexts(0))?.[1] ?? '{}'
  assert.match(conditionTexts(1), /attempting to grant RBAC permissions not currently held/)
  assert.match(conditionTexts(1), /can only grant permissions that it has.*"verbs":\["escalate","bind"\]/)
  assert.equal(appliedOf(work, 2)?.status, 'True')
  await allow(pair.spoke, AGENT, [RECORDS, { ...ROLES, verbs: [...WRITING, 'escalate'] }, MAPS, JSON.parse(rule)])
  await pair.changeWork('w', { deleteOption: { propagationPolicy: 'Orphan' } })
  const isTold = (work: ManifestWork) => work.metadata.generation === 2 && appliedOf(work, 0)?.status === 'True'
  await pair.whenWork('w', isTold)
})
