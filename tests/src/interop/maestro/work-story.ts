import assert from 'node:assert/strict'
import { AppliedManifestWork, type ManifestWork, type NewManifestWork } from '@orrery/api'
import { ConfigMap, Deployment } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'

const namespace = 'interop'
const labels = { app: 'web' }
const TIMEOUT = { timeoutMilliseconds: 90_000 }

const settings = (colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name: 'settings' },
  data: { colour },
})

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] } },
  },
}

export interface SeenEvent {
  readonly type: string
  readonly work: ManifestWork
}

/** What a source of works does, with any SDK. */
export interface WorkSource {
  get(name: string): Promise<ManifestWork>
  create(work: NewManifestWork): Promise<unknown>
  patch(name: string, patch: object): Promise<unknown>
  delete(name: string): Promise<unknown>
  /** Starts a watch and returns its events, which grow as they arrive. */
  watch(): Promise<readonly SeenEvent[]>
  isNotFound(error: unknown): boolean
}

export interface Fleet {
  readonly source: WorkSource
  readonly spoke: KubeClient
  readonly consumer: string
  /** Logs that explain a failure. */
  readonly log: () => string
}

/** The life of a work with any source, server, transport and agent. */
export async function runWorkOverMaestro(fleet: Fleet): Promise<void> {
  const events = await fleet.source.watch()
  await isApplied(fleet)
  await reportsFeedback(fleet)
  await isChanged(fleet)
  await isCorrected(fleet)
  await isDeleted(fleet)
  const seen = () => events.map(({ type, work }) => `${type} ${work.metadata.name}`)
  await eventually('the watch sees the deletion', async () => seen().includes('DELETED app'), { ...TIMEOUT, seen })
  const reported = events.filter(
    ({ type, work }) => type === 'MODIFIED' && isConditionTrue(work.status?.conditions, 'Applied'),
  )
  assert.ok(reported.length > 0, seen().join('\n'))
}

async function isApplied({ source, spoke, consumer, log }: Fleet): Promise<void> {
  await source.create({
    metadata: { name: 'app', namespace: consumer },
    spec: {
      workload: {
        manifests: [web, settings('blue'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }],
      },
      manifestConfigs: [
        {
          resourceIdentifier: { group: 'apps', resource: 'deployments', namespace, name: 'web' },
          updateStrategy: { type: 'ServerSideApply' },
          feedbackRules: [
            { type: 'JSONPaths', jsonPaths: [{ name: 'observed', path: '.status.observedGeneration' }] },
            { type: 'WellKnownStatus' },
          ],
        },
      ],
    },
  })
  const { metadata } = await whenWork(source, log, hasConditions(1))
  assert.equal(metadata.name, 'app')
  assert.deepEqual((await spoke.get(ConfigMap, { namespace, name: 'settings' })).data, { colour: 'blue' })
  const [applied] = (await spoke.list(AppliedManifestWork)).items
  assert.equal(applied?.status?.appliedResources?.length, 3)
}

async function reportsFeedback({ source, spoke, log }: Fleet): Promise<void> {
  const status = { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 }
  await spoke.patch(Deployment, { namespace, name: 'web' }, { status }, { subresource: 'status' })
  const valuesOf = (work: ManifestWork) =>
    work.status?.resourceStatus?.manifests?.flatMap(({ statusFeedback }) => statusFeedback?.values ?? []) ?? []
  const value = (work: ManifestWork, name: string) =>
    valuesOf(work).find((one) => one.name === name)?.fieldValue.integer
  const reported = await whenWork(source, log, (work) => value(work, 'ReadyReplicas') === 2)
  assert.equal(value(reported, 'observed'), 1)
}

async function isChanged({ source, spoke, log }: Fleet): Promise<void> {
  await source.patch('app', { spec: { workload: { manifests: [web, settings('green')] } } })
  await whenColour(spoke, 'green', log)
  const { status } = await whenWork(source, log, hasConditions(2))
  assert.equal(status?.resourceStatus?.manifests?.length, 2)
}

async function isCorrected({ spoke, log }: Fleet): Promise<void> {
  await spoke.patch(ConfigMap, { namespace, name: 'settings' }, { data: { colour: 'red' } })
  await whenColour(spoke, 'green', log)
}

async function isDeleted({ source, spoke, log }: Fleet): Promise<void> {
  await source.delete('app')
  await eventually(
    'the work is gone',
    () =>
      source.get('app').then(
        () => false,
        (error: unknown) => source.isNotFound(error),
      ),
    { ...TIMEOUT, seen: log },
  )
  assert.equal(await spoke.find(Deployment, { namespace, name: 'web' }), undefined)
  assert.deepEqual((await spoke.list(AppliedManifestWork)).items, [])
}

function hasConditions(generation: number): (work: ManifestWork) => boolean {
  return ({ status }) =>
    isConditionTrue(status?.conditions, 'Applied') &&
    isConditionTrue(status?.conditions, 'Available') &&
    status?.conditions?.every(({ observedGeneration }) => observedGeneration === generation) === true
}

async function whenWork(
  source: WorkSource,
  log: () => string,
  holds: (work: ManifestWork) => boolean,
): Promise<ManifestWork> {
  let found: ManifestWork | undefined
  await eventually(
    'work app is as wanted',
    async () => {
      found = await source.get('app')
      return holds(found)
    },
    { ...TIMEOUT, seen: () => `${JSON.stringify(found, undefined, 1)}\n${log()}` },
  )
  return found as ManifestWork
}

async function whenColour(spoke: KubeClient, colour: string, log: () => string): Promise<void> {
  await eventually(
    `the ConfigMap is ${colour}`,
    async () => (await spoke.find(ConfigMap, { namespace, name: 'settings' }))?.data?.colour === colour,
    { ...TIMEOUT, seen: log },
  )
}
