import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isServerTimeout,
  isServiceUnavailable,
  isTooLarge,
  isTooManyRequests,
  isUnauthorized,
} from '@orrery/kinds/values'
import { isRetryable } from './retry.js'
import { FakeMaestro, grpcError, newWork } from './server.fixture.js'

const UNAVAILABLE = 14
const DEADLINE_EXCEEDED = 4
const RESOURCE_EXHAUSTED = 8

/** Errors that adapters retry: the client has already done so. */
for (const [what, refusal, is] of [
  ['unavailable', grpcError(UNAVAILABLE, 'failed to authorize the request: try later'), isServiceUnavailable],
  ['does not respond in time', grpcError(DEADLINE_EXCEEDED, 'Deadline exceeded'), isServerTimeout],
  ['too busy', grpcError(RESOURCE_EXHAUSTED, 'rate limit'), isTooManyRequests],
] as const) {
  test(`maestroWorkClient: retries a publication while gRPC is ${what}, then succeeds`, async (t) => {
    const server = await FakeMaestro.start(t)
    server.refusals.push(refusal, refusal, refusal)
    const created = await server.client().manifestWorks('c').create(newWork('w'))
    assert.equal(created.metadata.generation, 1)
    assert.equal(server.publications, 4)
  })

  test(`maestroWorkClient: throws after 5 attempts while gRPC is ${what}`, async (t) => {
    const server = await FakeMaestro.start(t)
    server.refusals.push(...Array<Error>(9).fill(refusal))
    await assert.rejects(
      server.client().manifestWorks('c').create(newWork('w')),
      (error) => is(error) && isRetryable(error),
    )
    assert.equal(server.publications, 5)
  })
}

for (const [status, is] of [
  [503, isServiceUnavailable],
  [502, isServiceUnavailable],
  [504, isServerTimeout],
  [429, isTooManyRequests],
] as const) {
  test(`maestroWorkClient: retries a request with response ${status}`, async (t) => {
    const server = await FakeMaestro.start(t)
    const works = server.client().manifestWorks('c')
    server.responses.push({ status }, { status })
    await assert.rejects(works.get('w'), isNotFound)
    assert.equal(server.requests.length, 3)
    server.responses.push(...Array<{ status: number }>(9).fill({ status }))
    await assert.rejects(works.get('w'), is)
    assert.equal(server.requests.length, 8)
  })
}

test('maestroWorkClient: retries while nothing listens on the REST port', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client({ apiUrl: 'http://127.0.0.1:1' }).manifestWorks('c')
  await assert.rejects(works.get('w'), isServiceUnavailable)
})

test('maestroWorkClient: a request without a response is a timeout', async (t) => {
  const server = await FakeMaestro.start(t)
  const { createServer } = await import('node:net')
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const { port } = silent.address() as { port: number }
  const options = { apiUrl: `http://127.0.0.1:${port}`, requestMilliseconds: 20, retry: { attempts: 1 } }
  await assert.rejects(server.client(options).manifestWorks('c').get('w'), isServerTimeout)
})

/** Errors that no retry helps. */
for (const [what, status, body, is] of [
  ['401', 401, { code: 'maestro-15', reason: 'Account authentication could not be verified' }, isUnauthorized],
  ['403', 403, { code: 'maestro-4', reason: 'Forbidden to perform this action' }, isForbidden],
  ['404', 404, { code: 'maestro-7', reason: 'Resource not found' }, isNotFound],
  ['409', 409, { code: 'maestro-6', reason: 'This Consumer already exists' }, isAlreadyExists],
  ['400', 400, { code: 'maestro-21', reason: 'Bad request' }, isBadRequest],
] as const) {
  test(`maestroWorkClient: does not retry a request with response ${what}`, async (t) => {
    const server = await FakeMaestro.start(t)
    server.responses.push({ status, body })
    await assert.rejects(server.client().consumers.create({ name: 'c' }), (error) => is(error) && !isRetryable(error))
    assert.equal(server.requests.length, 1)
  })
}

for (const [what, refusal, is] of [
  ['Unauthenticated', grpcError(16, 'failed to authorize the request: maestro-15: no token'), isUnauthorized],
  ['PermissionDenied', grpcError(7, 'not yours'), isForbidden],
  [
    'an unauthorized source of the Go server',
    grpcError(2, 'unauthorized to publish the event from source s'),
    isForbidden,
  ],
  ['AlreadyExists', grpcError(6, 'there'), isAlreadyExists],
  ['an existing work of the Go server', grpcError(2, 'maestro-6: This Resource already exists'), isAlreadyExists],
  ['InvalidArgument', grpcError(3, 'bad'), isBadRequest],
  ['an invalid work of the Go server', grpcError(2, 'maestro-8: the manifest bundle is invalid'), isBadRequest],
  ['a stale version', grpcError(2, 'maestro-6: the resource version is not the latest'), isConflict],
  ['a work under deletion', grpcError(2, 'maestro-6: the resource is under deletion, id: x'), isConflict],
  ['an unregistered consumer', grpcError(2, 'violates foreign key constraint "fk_resources_consumers"'), isNotFound],
  ['a message that is too large', grpcError(8, 'received message larger than max'), isTooLarge],
] as const) {
  test(`maestroWorkClient: does not retry a publication after ${what}`, async (t) => {
    const server = await FakeMaestro.start(t)
    server.refusals.push(refusal)
    await assert.rejects(
      server.client().manifestWorks('c').create(newWork('w')),
      (error) => is(error) && !isRetryable(error),
    )
    assert.equal(server.publications, 1)
  })
}

test('maestroWorkClient: rejects an invalid work without a request', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  await assert.rejects(works.create({ metadata: { name: 'w' }, spec: {} }), isInvalid)
  assert.equal(server.publications, 0)
})

test('maestroWorkClient: a create and an update whose acknowledgement is lost succeed', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  server.lost.push(grpcError(UNAVAILABLE, 'connection reset'))
  const created = await works.create(newWork('w'))
  assert.equal(created.metadata.generation, 1)
  server.lost.push(grpcError(UNAVAILABLE, 'connection reset'))
  const updated = await works.update({ ...created, metadata: { ...created.metadata, labels: { a: 'b' } } })
  assert.deepEqual([updated.metadata.generation, updated.metadata.labels], [2, { a: 'b' }])
})

test('maestroWorkClient: a create of a work that another client has created throws, also after a retry', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  await works.create(newWork('w', { by: 'another' }))
  server.refusals.push(grpcError(UNAVAILABLE, 'connection reset'))
  await assert.rejects(works.create(newWork('w')), isAlreadyExists)
})
