import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import { parseTarget } from './target.js'
import { checkTimeout } from './timeout.js'

const check = (url: string) => checkTimeout(parseTarget('GET', url))

test('checkTimeout: requires a duration', () => {
  for (const good of ['/version', '/version?timeout=', '/version?timeout=0s', '/api/v1/pods?timeout=1m30s']) check(good)
  for (const [given, why] of [
    ['invalid', 'time: invalid duration "invalid"'],
    ['5', 'time: missing unit in duration "5"'],
  ]) {
    assert.throws(
      () => check(`/api/v1/pods?timeout=${given}`),
      (error) =>
        error instanceof StatusError &&
        error.code === 400 &&
        error.message === `invalid timeout specified in the request URL - ${why}`,
    )
  }
})

test('checkTimeout: ignores the timeout of streams', () => {
  check('/api/v1/pods?watch=true&timeout=bad')
  check('/api/v1/namespaces/a/pods/b/log?timeout=bad')
})
