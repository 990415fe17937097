import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import type { HttpRequest } from '@orrery/kube/client'
import { mangled } from './bytes.js'
import { FuzzServer } from './fuzz-server.js'
import { encodeProtobuf } from './internals.js'
import { Random } from './random.js'
import { LENGTH, SEED } from './settings.js'
import { collectionOf, STORED, sampleOf } from './writes.js'

const LIMIT = 3 * 1024 * 1024
const COLLECTION = '/api/v1/namespaces/default/configmaps'

const ATTEMPTS = 5

/**
 * Sends a request and checks that it changes nothing unless it is served. Controllers may still process an earlier
 * one, so only a change with every attempt counts.
 */
async function send(fuzz: FuzzServer, request: HttpRequest): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const earlier = await fuzz.revision()
    const { status } = await fuzz.send(request)
    if (status < 400 || (await fuzz.revision()) === earlier) return status
    assert.notEqual(attempt, ATTEMPTS, 'a refused request changed the state')
  }
}

test('bodies: rejects mangled JSON, YAML and protobuf of every kind, and nothing changes', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const random = new Random(SEED)
  const rounds = Math.ceil(12 * LENGTH)
  for (const resource of STORED) {
    const sample = sampleOf(resource, 'mangled')
    if (sample === undefined) continue
    const json = Buffer.from(JSON.stringify(sample))
    const forms: [string, Buffer][] = [
      ['application/json', json],
      ['application/yaml', json],
      ['application/vnd.kubernetes.protobuf', encodeProtobuf(sample as JsonObject) ?? json],
    ]
    for (const [type, bytes] of forms) {
      for (let round = 0; round < rounds; round++) {
        const body = mangled(random, bytes)
        await send(fuzz, { method: 'POST', path: collectionOf(resource), headers: { 'content-type': type }, body })
      }
    }
  }
})

test('bodies: rejects extreme nesting', async (t) => {
  const fuzz = await FuzzServer.start(t)
  for (const depth of [1001, 10_000, 100_000]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const value = `${open.repeat(depth)}1${close.repeat(depth)}`
      const body = `{"metadata":{"name":"deep"},"data":${value}}`
      const path = COLLECTION
      assert.equal(
        await send(fuzz, { method: 'POST', path, headers: { 'content-type': 'application/json' }, body }),
        400,
      )
      assert.equal(
        await send(fuzz, { method: 'POST', path, headers: { 'content-type': 'application/yaml' }, body }),
        400,
      )
    }
  }
})

test('bodies: rejects bodies beyond the limit', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const head = '{"metadata":{"name":"large"},"data":{"k":"'
  const fill = (size: number) => `${head}${'x'.repeat(size - head.length - 3)}"}}`
  const headers = { 'content-type': 'application/json' }
  assert.equal(await send(fuzz, { method: 'POST', path: COLLECTION, headers, body: fill(LIMIT + 1) }), 413)
  assert.equal(await send(fuzz, { method: 'POST', path: COLLECTION, headers, body: fill(LIMIT) }), 422)
  const key = `{"metadata":{"name":"large"},"data":{"${'k'.repeat(LIMIT - 100)}":"v"}}`
  assert.equal(await send(fuzz, { method: 'POST', path: COLLECTION, headers, body: key }), 422)
})

test("bodies: treats names of JavaScript's prototype as data", async (t) => {
  const fuzz = await FuzzServer.start(t)
  const headers = { 'content-type': 'application/json' }
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf']
  for (const name of names) {
    const status = name === '__proto__' ? 400 : 201
    const object = (fields: string) => `{"metadata":{"generateName":"odd-"},${fields}}`
    for (const body of [
      object(`"data":{"${name}":"v"}`),
      object(`"metadata":{"generateName":"odd-","labels":{"${name}":"v"}}`),
      object(`"metadata":{"generateName":"odd-","annotations":{"${name}":"v"}}`),
    ]) {
      assert.equal(await send(fuzz, { method: 'POST', path: COLLECTION, headers, body }), status, body)
    }
    await send(fuzz, { method: 'POST', path: COLLECTION, headers, body: object(`"${name}":{"x":1}`) })
    assert.equal(({} as Record<string, unknown>).x, undefined)
  }
})
