import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advertisedUrl, type HubServing, isExposed, parseServing, servedNames } from './hub-serving.js'

const CASES: readonly [HubServing, url: string | undefined, exposed: boolean][] = [
  [{}, undefined, false],
  [{ bindAddress: '127.0.0.5' }, undefined, false],
  [{ bindAddress: '::1' }, undefined, false],
  [{ bindAddress: '192.0.2.7' }, 'https://192.0.2.7:7443', true],
  [{ bindAddress: '2001:db8::7' }, 'https://[2001:db8::7]:7443', true],
  [{ bindAddress: '0.0.0.0', advertiseAddress: 'hub.test' }, 'https://hub.test:7443', true],
  [{ advertiseAddress: 'tunnel.test' }, 'https://tunnel.test:7443', false],
]

for (const [serving, url, exposed] of CASES) {
  test(`advertisedUrl: ${JSON.stringify(serving)} has the URL ${url}`, () => {
    assert.equal(advertisedUrl(serving, 7443), url)
    assert.equal(isExposed(serving), exposed)
  })
}

test('servedNames: has the advertised name and the others, without duplicates', () => {
  const serving = { bindAddress: '0.0.0.0', advertiseAddress: 'hub.test', tlsSans: ['a.test', 'hub.test'] }
  assert.deepEqual(servedNames(serving), ['hub.test', 'a.test'])
  assert.deepEqual(servedNames({}), [])
})

test('parseServing: rejects damaged settings', () => {
  assert.deepEqual(parseServing({ bindAddress: '0.0.0.0', tlsSans: ['a'] }), { bindAddress: '0.0.0.0', tlsSans: ['a'] })
  for (const damaged of ['x', { bindAddress: 1 }, { tlsSans: 'a' }, { tlsSans: [1] }]) {
    assert.equal(parseServing(damaged), undefined)
  }
})
