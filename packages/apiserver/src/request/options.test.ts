import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import { parseListOptions, parseResourceVersion, parseWriteOptions } from './options.js'
import { Query } from './query.js'

function refusal(parse: () => unknown): { code: number; fields: (string | undefined)[] } {
  try {
    parse()
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { code: error.code, fields: (error.status.details?.causes ?? []).map(({ field }) => field) }
  }
  throw new Error('it was taken')
}

const list = (query: string, watch = false) => parseListOptions(Query.parse(query), watch)
const write = (query: string, kind: Parameters<typeof parseWriteOptions>[1] = 'CreateOptions', isApply = false) =>
  parseWriteOptions(Query.parse(query), kind, isApply)

test('parseListOptions: refuses inconsistent resourceVersion parameters', () => {
  assert.equal(list('resourceVersion=5&resourceVersionMatch=Exact').resourceVersionMatch, 'Exact')
  const wrong = [
    'resourceVersionMatch=Exact',
    'resourceVersion=5&resourceVersionMatch=Newest',
    'resourceVersion=0&resourceVersionMatch=Exact',
  ]
  for (const query of wrong)
    assert.deepEqual(
      refusal(() => list(query)),
      { code: 422, fields: ['resourceVersionMatch'] },
      query,
    )
  assert.deepEqual(refusal(() => list('sendInitialEvents=true')).fields, ['sendInitialEvents'])
})

test('parseListOptions: requires resourceVersionMatch for sendInitialEvents', () => {
  const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&timeoutSeconds=5'
  const { sendInitialEvents, allowWatchBookmarks, timeoutSeconds } = list(query, true)
  assert.deepEqual([sendInitialEvents, allowWatchBookmarks, timeoutSeconds], [true, true, 5])
  assert.equal(refusal(() => list('sendInitialEvents=true', true)).code, 422)
  assert.equal(refusal(() => list('resourceVersionMatch=NotOlderThan', true)).code, 422)
})

test('parseResourceVersion: requires a number', () => {
  assert.equal(parseResourceVersion(''), undefined)
  assert.equal(parseResourceVersion('17'), 17)
  assert.equal(refusal(() => parseResourceVersion('x')).code, 400)
  assert.equal(refusal(() => parseResourceVersion('-1')).code, 400)
})

test('parseWriteOptions: parses field manager and field validation', () => {
  const { dryRun, fieldManager, fieldValidation } = write('dryRun=All&fieldManager=me&fieldValidation=Strict')
  assert.deepEqual([dryRun, fieldManager, fieldValidation], [true, 'me', 'Strict'])
  assert.equal(write('').fieldValidation, 'Warn')
  assert.deepEqual(refusal(() => write('dryRun=Some')).fields, ['dryRun'])
  assert.deepEqual(refusal(() => write(`fieldManager=${'x'.repeat(129)}`)).fields, ['fieldManager'])
  assert.deepEqual(refusal(() => write('fieldManager=%07')).fields, ['fieldManager'])
  assert.deepEqual(refusal(() => write('fieldValidation=Loose')).fields, ['fieldValidation'])
})

test('parseWriteOptions: allows force only for apply, which requires a manager', () => {
  assert.equal(write('fieldManager=me&force=true', 'PatchOptions', true).force, true)
  assert.deepEqual(refusal(() => write('', 'PatchOptions', true)).fields, ['fieldManager'])
  assert.deepEqual(refusal(() => write('force=true', 'PatchOptions')).fields, ['force'])
})
