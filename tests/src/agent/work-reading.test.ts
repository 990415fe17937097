import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { AGENT_NAMESPACE, AppliedManifestWork, ManifestWork, type NewManifestWorkSpec } from '@orrery/api'
import {
  type ApiObject,
  ConfigMap,
  Deployment,
  type JsonObject,
  type Kind,
  type KubeObject,
  Namespace,
  Pod,
  Secret,
} from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { ownerReferenceTo } from '@orrery/kube'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { AGENT, allow, ROBOT } from './allowing.js'
import { conditionTextsOf, manifestConditionTexts, valuesOf } from './statusreading.js'
import { appliedOf, inDefault, manifestOf, type Side, says, WorkPair } from './work-pair.js'

type Config = NonNullable<NewManifestWorkSpec['manifestConfigs']>[number]
type Rules = Pick<Config, 'feedbackRules' | 'conditionRules'>

const MARK = 'open-sesame'
const base64 = (text: string) => Buffer.from(text).toString('base64')
/** In every form that a status could contain it. */
const holdsMark = (value: unknown) => [MARK, base64(MARK)].some((text) => JSON.stringify(value ?? null).includes(text))

const executor = {
  subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'robot' } },
} as const
const ALL_VERBS = ['create', 'update', 'patch', 'get', 'delete']

function allowVerbs(spoke: Side, verbs: readonly string[]): Promise<void> {
  return allow(spoke, ROBOT, [{ apiGroups: ['', 'apps'], resources: ['*'], verbs: [...verbs] }])
}

const jsonPaths = (...paths: string[]): Rules => ({
  feedbackRules: [{ type: 'JSONPaths', jsonPaths: paths.map((path, index) => ({ name: `v${index}`, path })) }],
})
const cel = (expression: string, messageExpression?: string): Rules => ({
  conditionRules: [
    {
      condition: 'Ruled',
      type: 'CEL',
      celExpressions: [expression],
      ...(messageExpression !== undefined && { messageExpression }),
    },
  ],
})

const labels = { app: 'x' }
const podSpec = { containers: [{ name: 'c', image: 'i' }] }
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: inDefault('x'),
  data: { password: base64(MARK) },
}
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: inDefault('x'),
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
}
const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: inDefault('x'), spec: podSpec }
const replicaFailure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: MARK }
const waiting = {
  name: 'c',
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason: 'CrashLoopBackOff', message: MARK } },
}

interface Path {
  readonly name: string
  readonly kind: Kind<ApiObject, object>
  readonly object: KubeObject
  readonly status?: object
  readonly rules?: Rules
  /** What proves that the data got through, if it is not the mark. */
  readonly shows?: (work: ManifestWork) => boolean
}

/** Every path on which an object's content gets into the status of a work. */
const PATHS: readonly Path[] = [
  { name: 'a feedback path', kind: Secret, object: secret, rules: jsonPaths('.data.password') },
  { name: 'a feedback path to a whole map', kind: Secret, object: secret, rules: jsonPaths('.data') },
  {
    name: 'feedback of a whole status',
    kind: Deployment,
    object: deployment,
    status: { conditions: [replicaFailure] },
    rules: jsonPaths('.status'),
  },
  {
    name: 'well-known feedback',
    kind: Deployment,
    object: deployment,
    status: { replicas: 4711, readyReplicas: 4711 },
    rules: { feedbackRules: [{ type: 'WellKnownStatus' }] },
    shows: (work) => JSON.stringify(work.status ?? null).includes('4711'),
  },
  {
    name: 'the message of a condition rule',
    kind: Secret,
    object: secret,
    rules: cel('true', 'object.data.password'),
  },
  {
    name: 'the error of a condition rule',
    kind: Secret,
    object: secret,
    rules: cel('object.data[object.data.password] == ""'),
  },
  {
    name: 'the error of a message expression',
    kind: Secret,
    object: secret,
    rules: cel('true', 'object.data[object.data.password]'),
  },
  {
    name: 'the verdict of a condition rule',
    kind: Secret,
    object: secret,
    rules: cel(`object.data.password == "${base64(MARK)}"`, '"no message"'),
    shows: (work) => conditionTextsOf(work).Ruled !== undefined && !conditionTextsOf(work).Ruled?.startsWith('Unknown'),
  },
  {
    name: 'the readiness of a workload',
    kind: Deployment,
    object: deployment,
    status: { observedGeneration: 1, conditions: [replicaFailure] },
  },
  {
    name: 'the readiness of a pod',
    kind: Pod,
    object: pod,
    status: { phase: 'Pending', containerStatuses: [waiting] },
  },
  {
    name: 'whether it is there',
    kind: Secret,
    object: secret,
    shows: (work) => manifestConditionTexts(work).Available?.startsWith('True') === true,
  },
]

const STRATEGIES = ['Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'] as const

const identifierOf = ({ group, plural }: Kind<ApiObject, object>) => ({
  group,
  resource: plural,
  name: 'x',
  namespace: 'default',
})

/** A manifest for the object of a path without the secret content. */
function manifestFor({ object }: Path): KubeObject {
  const { data, ...rest } = object
  return data === undefined ? rest : { ...rest, data: {} }
}

async function prepare({ spoke }: WorkPair, { kind, object, status }: Path): Promise<void> {
  await spoke.client.create(kind, object as never)
  if (status === undefined) return
  await spoke.client.patch(kind, inDefault('x'), { status } as JsonObject, { subresource: 'status' })
}

const isReported = (work: ManifestWork) =>
  says(work, 'Applied', 'True') || says(work, 'Applied', 'False') || says(work, 'Applied', 'Unknown')

suite('reading with an executor', () => {
  for (const path of PATHS) {
    const shows = path.shows ?? (({ status }: ManifestWork) => holdsMark(status))
    const configFor = (type: (typeof STRATEGIES)[number]): Config => ({
      resourceIdentifier: identifierOf(path.kind),
      updateStrategy: { type },
      ...path.rules,
    })

    test(`ReadCheck: reports ${path.name} with an executor that may get the object`, async (t) => {
      const pair = await WorkPair.start(t)
      await prepare(pair, path)
      await allowVerbs(pair.spoke, ALL_VERBS)
      await pair.startAgent({ features: { RawFeedbackJsonString: true } })
      await pair.createWork('w', [manifestFor(path)], { executor, manifestConfigs: [configFor('ReadOnly')] })
      await pair.whenWork('w', shows)
    })

    test(`ReadCheck: reports nothing by ${path.name} with an executor that may do anything but get`, async (t) => {
      const pair = await WorkPair.start(t)
      await prepare(pair, path)
      await allowVerbs(
        pair.spoke,
        [...ALL_VERBS, 'list', 'watch'].filter((verb) => verb !== 'get'),
      )
      await pair.startAgent({ features: { RawFeedbackJsonString: true } })
      for (const type of STRATEGIES) {
        const name = type.toLowerCase()
        await pair.createWork(name, [manifestFor(path)], { executor, manifestConfigs: [configFor(type)] })
        const work = await pair.whenWork(name, isReported)
        assert.equal(shows(work), false, type)
        assert.equal(holdsMark(work.status), false, type)
        const conditionTexts = manifestConditionTexts(work)
        assert.match(
          conditionTexts.Available ?? '',
          /^False ResourceNotAvailable: .*let system:serviceaccount:default:robot get /,
        )
        if (path.rules?.feedbackRules !== undefined) {
          assert.match(
            conditionTexts.StatusFeedbackSynced ?? '',
            /^False StatusFeedbackSyncFailed: .*not allowed to read/,
          )
        }
        if (path.rules?.conditionRules !== undefined) {
          assert.match(conditionTexts.Ruled ?? '', /^Unknown ConditionRuleInternalError: not allowed to read/)
        }
      }
    })
  }

  test('ReadCheck: an absent object looks the same as one that may not be read', async (t) => {
    const pair = await WorkPair.start(t)
    await pair.spoke.client.create(Secret, secret as never)
    await pair.startAgent()
    const conditionTexts = []
    for (const name of ['x', 'y']) {
      const manifest = { ...secret, metadata: inDefault(name), data: {} }
      await pair.createWork(name, [manifest], { executor })
      const { Available, Applied, ...rest } = manifestConditionTexts(await pair.whenWork(name, isReported))
      conditionTexts.push(JSON.stringify([Available, Applied, rest]).replaceAll(`default ${name}`, 'default NAME'))
    }
    assert.equal(
      conditionTexts[0]?.replaceAll('secrets default/x', ''),
      conditionTexts[1]?.replaceAll('secrets default/y', ''),
    )
  })

  test("ReadCheck: does not report the server's response to a write if the executor lost get", async (t) => {
    const pair = await WorkPair.start(t)
    await allowVerbs(pair.spoke, ALL_VERBS)
    await pair.startAgent()
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: inDefault('x'), data: { a: '1' } }
    await pair.createWork('w', [map], { executor })
    await pair.whenApplied('w')
    await allowVerbs(pair.spoke, ['create', 'update', 'patch', 'delete'])
    // A quota, a webhook or a validation may repeat the content.
    pair.spoke.fault = (request) => {
      if (request.method === 'GET' || !request.path.includes('/configmaps/x')) return undefined
      throw new Error(`it holds ${MARK}`)
    }
    await pair.changeWork('w', { workload: { manifests: [{ ...map, data: { a: '2' } }] } })
    const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
    assert.match(appliedOf(work, 0)?.message ?? '', /not allowed to apply .*let .*robot get configmaps/)
    assert.equal(holdsMark(work.status), false)
  })

  test('ReadCheck: does not report what blocks a deletion if the executor lost get', async (t) => {
    const pair = await WorkPair.start(t)
    await allowVerbs(pair.spoke, ALL_VERBS)
    await pair.startAgent()
    const finalizers = [`example.com/${MARK}`]
    for (const name of ['kept', 'lost']) {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: inDefault(name) }
      await pair.createWork(name, [map], { executor })
      await pair.whenApplied(name)
      await pair.spoke.client.patch(ConfigMap, inDefault(name), { metadata: { finalizers } })
    }
    await pair.deleteWork('kept')
    await pair.whenWork('kept', ({ status }) => holdsMark(status))
    await allowVerbs(pair.spoke, ['create', 'update', 'patch', 'delete'])
    await pair.deleteWork('lost')
    const isBlocked = ({ status }: ManifestWork) =>
      findCondition(status?.conditions, 'Deleting')?.message.includes('waiting for configmaps default/lost') === true
    assert.equal(holdsMark((await pair.whenWork('lost', isBlocked)).status), false)
  })

  test('ReadCheck: a status that names another object does not make the agent read it', async (t) => {
    const pair = await WorkPair.start(t)
    await pair.spoke.client.create(Secret, secret as never)
    const manifestConfigs = [{ resourceIdentifier: identifierOf(Secret), ...jsonPaths('.data.password') }]
    await pair.createWork('w', [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: inDefault('m') }], {
      executor,
      manifestConfigs,
    })
    const { metadata } = await pair.whenWork('w', () => true)
    const at = { lastTransitionTime: '2030-01-01T00:00:00Z', reason: 'X', message: '' }
    const resourceMeta = { ordinal: 0, version: 'v1', kind: 'Secret', resource: 'secrets', ...inDefault('x') }
    const status = {
      conditions: [{ type: 'Complete', status: 'True', observedGeneration: metadata.generation, ...at }],
      resourceStatus: { manifests: [{ resourceMeta, conditions: [{ type: 'Applied', status: 'True', ...at }] }] },
    }
    await pair.hub.client.patch(ManifestWork, { namespace: metadata.namespace, name: 'w' }, { status } as JsonObject, {
      subresource: 'status',
    })
    await pair.startAgent()
    const isRefused = (work: ManifestWork) =>
      manifestConditionTexts(work).StatusFeedbackSynced?.startsWith('False') === true
    assert.equal(holdsMark((await pair.whenWork('w', isRefused)).status), false)
  })

  test('ReadCheck: reviews again before it reports a new state, and removes what it reported', async (t) => {
    const clock = new FakeClock()
    const pair = await WorkPair.start(t, { clock })
    const path = PATHS[0] as Path
    await prepare(pair, path)
    await allowVerbs(pair.spoke, ALL_VERBS)
    await pair.startAgent()
    const manifestConfigs = [
      { resourceIdentifier: identifierOf(Secret), updateStrategy: { type: 'ReadOnly' as const }, ...path.rules },
    ]
    await pair.createWork('w', [manifestFor(path)], { executor, manifestConfigs })
    await pair.whenWork('w', (work) => valuesOf(work).v0 === base64(MARK))
    await allowVerbs(pair.spoke, ['create'])
    await pair.spoke.client.patch(Secret, inDefault('x'), { data: { password: base64('other') } })
    const work = await pair.whenWork('w', (work) => manifestOf(work, 0)?.statusFeedback === undefined)
    assert.match(
      manifestConditionTexts(work).StatusFeedbackSynced ?? '',
      /not allowed to read the resource {2}secrets, default x/,
    )
    assert.equal(holdsMark(work.status) || JSON.stringify(work.status).includes(base64('other')), false)
    await allowVerbs(pair.spoke, ALL_VERBS)
    await eventually('the new value is reported', async () => {
      clock.advance(60_000)
      return valuesOf(await pair.whenWork('w', () => true)).v0 === base64('other')
    })
  })

  test('ReadCheck: other rules for the same object need a new review', async (t) => {
    const pair = await WorkPair.start(t)
    const path = PATHS[0] as Path
    await prepare(pair, path)
    await allowVerbs(pair.spoke, ALL_VERBS)
    await pair.startAgent()
    const configs = (rules: Rules) => [
      { resourceIdentifier: identifierOf(Secret), updateStrategy: { type: 'ReadOnly' as const }, ...rules },
    ]
    await pair.createWork('w', [manifestFor(path)], { executor, manifestConfigs: configs(jsonPaths('.type')) })
    await pair.whenWork('w', (work) => valuesOf(work).v0 === 'Opaque')
    await allowVerbs(pair.spoke, ['create'])
    await pair.changeWork('w', { manifestConfigs: configs(jsonPaths('.data.password')) })
    const work = await pair.whenWork('w', (work) => manifestOf(work, 0)?.statusFeedback === undefined)
    assert.equal(holdsMark(work.status), false)
  })

  test('ReadCheck: an agent that may not create access reviews reports nothing but that', async (t) => {
    const pair = await WorkPair.start(t)
    const path = PATHS[0] as Path
    await prepare(pair, path)
    const rules = [
      { apiGroups: ['', 'work.open-cluster-management.io', 'apiextensions.k8s.io'], resources: ['*'], verbs: ['*'] },
    ]
    await allow(pair.spoke, AGENT, rules)
    await pair.startAgent({ spoke: pair.spoke.asUser('agent') })
    const manifestConfigs = [{ resourceIdentifier: identifierOf(Secret), ...path.rules }]
    await pair.createWork('w', [manifestFor(path)], { executor, manifestConfigs })
    const work = await pair.whenWork('w', isReported)
    assert.equal(holdsMark(work.status), false)
    assert.match(
      manifestConditionTexts(work).StatusFeedbackSynced ?? '',
      /cannot create resource "subjectaccessreviews"/,
    )
  })
})

suite('Secrets of the agent', () => {
  const own = { namespace: AGENT_NAMESPACE, name: 'hub-kubeconfig-secret' }
  const manifest: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: own,
    data: { kubeconfig: base64('theirs') },
  }
  const resourceIdentifier = { group: '', resource: 'secrets', ...own }

  async function withSecret(pair: WorkPair): Promise<Secret> {
    await pair.spoke.client.create(Namespace, { metadata: { name: AGENT_NAMESPACE } })
    return pair.spoke.client.create(Secret, { metadata: own, data: { kubeconfig: base64(MARK) } })
  }

  for (const type of STRATEGIES) {
    test(`OwnSecrets: are not read, written, adopted or deleted by a work with ${type}`, async (t) => {
      const pair = await WorkPair.start(t)
      const before = await withSecret(pair)
      await pair.startAgent()
      const manifestConfigs = [
        {
          resourceIdentifier,
          updateStrategy: { type },
          ...jsonPaths('.data.kubeconfig'),
          ...cel('true', 'object.data.kubeconfig'),
        },
      ]
      await pair.createWork('w', [manifest], { manifestConfigs })
      const work = await pair.whenWork('w', isReported)
      assert.equal(holdsMark(work.status), false)
      assert.match(appliedOf(work, 0)?.message ?? '', /works cannot read or change Secrets in namespace "open-cluster/)
      assert.match(
        manifestConditionTexts(work).StatusFeedbackSynced ?? '',
        /^False .*works cannot read or change Secrets/,
      )
      assert.match(manifestConditionTexts(work).Ruled ?? '', /^Unknown .*works cannot read or change Secrets/)
      await pair.deleteWork('w')
      await pair.whenWorkGone('w')
      assert.deepEqual(await pair.spoke.client.get(Secret, own), before)
    })
  }

  test('OwnSecrets: one that a work owns already is released when the work is deleted', async (t) => {
    const pair = await WorkPair.start(t)
    await withSecret(pair)
    const agent = await pair.startAgent({ agentNamespace: 'elsewhere' })
    await pair.createWork('w', [manifest])
    await pair.whenApplied('w')
    await agent.close()
    const record = (await pair.record('w')) as AppliedManifestWork
    const owned = await pair.spoke.client.get(Secret, own)
    assert.deepEqual(owned.metadata.ownerReferences, [ownerReferenceTo(record, AppliedManifestWork)])
    await pair.startAgent()
    await pair.deleteWork('w')
    await pair.whenWorkGone('w')
    const { uid, ownerReferences } = (await pair.spoke.client.get(Secret, own)).metadata
    assert.deepEqual([uid, ownerReferences], [owned.metadata.uid, undefined])
  })

  test('OwnSecrets: other objects of the same work are applied', async (t) => {
    const pair = await WorkPair.start(t)
    await withSecret(pair)
    await pair.startAgent()
    await pair.createWork('w', [manifest, { apiVersion: 'v1', kind: 'ConfigMap', metadata: inDefault('m') }])
    const work = await pair.whenWork('w', isReported)
    assert.deepEqual([appliedOf(work, 0)?.status, appliedOf(work, 1)?.status], ['False', 'True'])
  })
})
