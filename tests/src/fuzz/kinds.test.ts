import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FuzzServer } from './fuzzserver.js'
import { builtinResources, type Resource } from './internals.js'
import { mutated } from './mutate.js'
import { Random } from './random.js'
import { SAMPLES } from './samples.js'
import { LENGTH, SEED } from './settings.js'

const ROUNDS = Math.ceil(30 * LENGTH)
const JSON_TYPE = { 'content-type': 'application/json' }

const stored = builtinResources().filter((resource) => resource.verbs.includes('update'))

function collectionOf({ group, version, namespaced, plural }: Resource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced ? `${root}/namespaces/default/${plural}` : `${root}/${plural}`
}

function sampleOf(resource: Resource, name: string): Record<string, unknown> | undefined {
  const sample = SAMPLES[`${resource.plural}.${resource.group}`]
  if (sample === undefined) return undefined
  const { group, version, kind } = resource
  const metadata = { name, labels: { app: 'a' }, ...(sample.metadata as object | undefined) }
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...sample, metadata }
}

test('the samples are sound', async (t) => {
  const fuzz = await FuzzServer.start(t)
  for (const resource of stored) {
    const sample = sampleOf(resource, `sample-${resource.version}-${resource.group.length}`)
    if (sample === undefined) continue
    const { status, body } = await fuzz.send({
      method: 'POST',
      path: collectionOf(resource),
      headers: JSON_TYPE,
      body: JSON.stringify(sample),
    })
    assert.equal(status, 201, `${resource.plural}: ${body.toString()}`)
  }
})

test('no value in the wrong place breaks a write of any kind', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const random = new Random(SEED)
  for (const resource of stored) {
    const base = sampleOf(resource, 'fuzz')
    if (base === undefined) continue
    const collection = collectionOf(resource)
    const name = (base.metadata as { name: string }).name
    await fuzz.send({ method: 'POST', path: collection, headers: JSON_TYPE, body: JSON.stringify(base) })
    for (let round = 0; round < ROUNDS; round++) {
      await write(fuzz, random, resource, collection, name, mutated(random, base, resource.schema))
    }
    await fuzz.send({
      method: 'GET',
      path: collection,
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    })
    await fuzz.send({ method: 'GET', path: collection, headers: { accept: 'application/vnd.kubernetes.protobuf' } })
  }
})

const PATCHES = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/json-patch+json',
]

async function write(
  fuzz: FuzzServer,
  random: Random,
  resource: Resource,
  collection: string,
  name: string,
  object: unknown,
): Promise<void> {
  const body = JSON.stringify(object) ?? 'null'
  const subresources = [...resource.subresources.keys()]
  const below = subresources.length > 0 && random.chance(0.3) ? `/${random.pick(subresources)}` : ''
  const path = `${collection}/${name}${below}`
  switch (random.below(4)) {
    case 0:
      await fuzz.send({ method: 'POST', path: below === '' ? collection : path, headers: JSON_TYPE, body })
      return
    case 1:
      await fuzz.send({ method: 'PUT', path, headers: JSON_TYPE, body })
      return
    default: {
      const type = random.pick(PATCHES)
      const patch = type === PATCHES[3] ? JSON.stringify(operations(random, object)) : body
      const query = type === PATCHES[2] ? `?fieldManager=${random.pick(['a', 'b'])}&force=true` : ''
      await fuzz.send({ method: 'PATCH', path: `${path}${query}`, headers: { 'content-type': type }, body: patch })
    }
  }
}

function operations(random: Random, object: unknown): unknown {
  const parts = typeof object === 'object' && object !== null ? Object.entries(object) : []
  return parts.map(([key, value]) => ({
    op: random.pick(['add', 'replace', 'test', 'remove', 'copy', 'move', 'nonsense', null]),
    path: random.pick([`/${key}`, `/${key}/0`, `/${key}/-`, '/metadata/labels/x', '', '/', '/spec/~1', '/__proto__/x']),
    from: random.pick(['/spec', '/metadata/name', '/nowhere', '', 5]),
    value,
  }))
}
