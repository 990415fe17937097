import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_REASONS, GrpcCode, MaestroError } from './errors.js'

test('MaestroError: has the id, the status and the code of its kind, and the text that Maestro sends', () => {
  const error = new MaestroError('Conflict', 'This Resource already exists')
  assert.equal(error.message, 'maestro-6: This Resource already exists')
  assert.equal(error.reason, 'This Resource already exists')
  assert.deepEqual([error.id, error.httpStatus, error.grpcCode], [6, 409, GrpcCode.alreadyExists])
})

test('MaestroError: tells problems with one id apart by their gRPC code', () => {
  const codes = (['Conflict', 'StaleVersion', 'Deleting'] as const).map((kind) => {
    const { id, grpcCode } = new MaestroError(kind)
    return [id, grpcCode]
  })
  assert.deepEqual(codes, [
    [6, GrpcCode.alreadyExists],
    [6, GrpcCode.aborted],
    [6, GrpcCode.failedPrecondition],
  ])
})

test('ERROR_REASONS: lists every id once, with the text of Maestro', () => {
  assert.deepEqual([...ERROR_REASONS.keys()], [1, 4, 6, 7, 8, 9, 10, 11, 15, 17, 21, 23, 26])
  assert.equal(ERROR_REASONS.get(9), 'Unspecified error')
  assert.equal(ERROR_REASONS.get(17), 'Unable to read request body')
})
