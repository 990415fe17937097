import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FuzzServer } from './fuzz-server.js'
import { mutated } from './mutate.js'
import { Random } from './random.js'
import { LENGTH, SEED } from './settings.js'
import { collectionOf, JSON_BODY, randomWrite, STORED, sampleOf } from './writes.js'

const ROUNDS = Math.ceil(40 * LENGTH)

test('kinds: the samples are valid', async (t) => {
  const fuzz = await FuzzServer.start(t)
  for (const resource of STORED) {
    const sample = sampleOf(resource, `sample-${resource.version}-${resource.group.length}`)
    if (sample === undefined) continue
    const path = collectionOf(resource)
    const { status, body } = await fuzz.send({ method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(sample) })
    assert.equal(status, 201, `${resource.plural}: ${body.toString()}`)
  }
})

test('kinds: no misplaced value breaks a write of any kind', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const random = new Random(SEED)
  for (const resource of STORED) {
    const base = sampleOf(resource, 'fuzz')
    if (base === undefined) continue
    const path = collectionOf(resource)
    await fuzz.send({ method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(base) })
    for (let round = 0; round < ROUNDS; round++) {
      const object = mutated(random, base, resource.schema)
      await fuzz.send(randomWrite(random, path, base.metadata.name, [...resource.subresources.keys()], object))
    }
    for (const accept of ['application/json;as=Table;g=meta.k8s.io;v=v1', 'application/vnd.kubernetes.protobuf']) {
      await fuzz.send({ method: 'GET', path, headers: { accept } })
    }
  }
})
