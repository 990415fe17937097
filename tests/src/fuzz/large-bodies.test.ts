import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { HttpRequest } from '@orrery/kube/client'
import { FuzzServer } from './fuzz-server.js'
import { JSON_BODY } from './writes.js'

/**
 * The CPU time limit of the most expensive body of the allowed size. Ten times the time on an idle machine: it
 * distinguishes linear from quadratic.
 */
const MAX_CPU_MS = 4000

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const patch = (type: string) => ({ method: 'PATCH', headers: { 'content-type': `application/${type}` } })
const MERGE_PATCH = patch('strategic-merge-patch+json')
const JSON_PATCH = patch('json-patch+json')
const APPLY = patch('apply-patch+yaml')

const list = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, index) => item(index))
const members = (count: number, member: (index: number) => [string, unknown]) => Object.fromEntries(list(count, member))
const configMap = (name: string, metadata: object, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...rest,
})
const pod = (name: string, spec: object) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

let fuzz: FuzzServer
const cleanUp: (() => unknown)[] = []
before(async () => {
  fuzz = await FuzzServer.start({ after: (step) => void cleanUp.push(step as () => unknown) })
})
after(async () => {
  for (const step of cleanUp) await step()
})

function costs(what: string, request: Partial<HttpRequest> & { path: string }, object: unknown, status: number): void {
  test(`large bodies: ${what} cost little`, async () => {
    const body = typeof object === 'string' ? object : JSON.stringify(object)
    assert.ok(body.length <= 3 * 1024 * 1024)
    const start = process.cpuUsage()
    const answer = await fuzz.send({ method: 'POST', headers: JSON_BODY, ...request, body })
    const { user, system } = process.cpuUsage(start)
    assert.equal(answer.status, status, answer.body.toString('utf8').slice(0, 500))
    assert.ok(user + system < MAX_CPU_MS * 1000, `${Math.round((user + system) / 1000)} ms`)
  })
}

costs(
  'many labels',
  { path: CONFIG_MAPS },
  configMap('labels', { labels: members(50_000, (i) => [`k${i}`, 'v']) }),
  201,
)
costs(
  'many wrong labels',
  { path: CONFIG_MAPS },
  configMap('bad', { labels: members(95_000, (i) => [`-${i}`, '-']) }),
  422,
)
const owner = (i: number) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `x${i}`, uid: `u${i}`, controller: true })
costs('many owners', { path: CONFIG_MAPS }, configMap('owners', { ownerReferences: list(20_000, owner) }), 422)
costs(
  'many finalizers',
  { path: CONFIG_MAPS },
  configMap('finalizers', { finalizers: list(30_000, (i) => `example.test/f${i}`) }),
  201,
)
costs(
  'many finalizers merged',
  { ...MERGE_PATCH, path: `${CONFIG_MAPS}/finalizers` },
  { metadata: { finalizers: list(30_000, (i) => `example.test/g${i}`) } },
  200,
)
costs(
  'many operations on a long list',
  { ...JSON_PATCH, path: `${CONFIG_MAPS}/finalizers` },
  list(10_000, (i) => ({ op: 'add', path: '/metadata/finalizers/0', value: `example.test/z${i}` })),
  413,
)
costs(
  'doubling copies',
  { ...JSON_PATCH, path: `${CONFIG_MAPS}/labels` },
  list(60, (i) => ({ op: 'copy', from: '/metadata/labels', path: `/metadata/labels/z${i}` })),
  422,
)
const entries = members(30_000, (i) => [`k${i}`, 'v'])
costs(
  'many entries applied',
  { ...APPLY, path: `${CONFIG_MAPS}/data?fieldManager=a` },
  configMap('data', {}, { data: entries }),
  201,
)
costs(
  'many conflicts',
  { ...APPLY, path: `${CONFIG_MAPS}/data?fieldManager=b` },
  configMap('data', {}, { data: members(30_000, (i) => [`k${i}`, 'w']) }),
  409,
)
costs(
  'many constraints',
  { path: PODS },
  pod('spread', {
    topologySpreadConstraints: list(20_000, (i) => ({
      maxSkew: 1,
      topologyKey: `k${i}`,
      whenUnsatisfiable: 'DoNotSchedule',
    })),
  }),
  201,
)
costs(
  'many variables',
  { path: PODS },
  pod('variables', {
    containers: [{ name: 'c', image: 'i', env: list(30_000, (i) => ({ name: `E${i}`, value: 'v' })) }],
  }),
  201,
)
costs('long names', { path: PODS }, pod('a.'.repeat(1_400_000), {}), 422)
costs('long numbers', { path: CONFIG_MAPS }, `{"metadata":{"name":"n"},"x":${'1'.repeat(2_900_000)}}`, 400)
costs(
  'many unknown fields',
  { path: CONFIG_MAPS },
  configMap(
    'unknown',
    {},
    members(150_000, (i) => [`u${i}`, 1]),
  ),
  201,
)
for (const part of ['[', '{', '- ', '? ', '!!str ', '&a ', '-\n']) {
  const headers = { 'content-type': 'application/yaml' }
  costs(
    `YAML of many ${JSON.stringify(part)}`,
    { path: CONFIG_MAPS, headers },
    part.repeat(2_900_000 / part.length),
    400,
  )
}

costs(
  'objects that grow beyond the limit',
  { path: PODS },
  pod('large', { containers: list(40_000, (i) => ({ name: `c${i}`, image: 'i' })) }),
  413,
)
