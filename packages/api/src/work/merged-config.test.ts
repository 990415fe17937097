import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { configFor, matchesWildcard } from './merged-config.js'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 8 })
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 })

test('matchesWildcard: matches any text with an asterisk and nothing else specially', () => {
  fc.assert(
    fc.property(letters, pattern, (text, pattern) => {
      const escaped = pattern
        .split('*')
        .map((part) => part.replaceAll('.', '\\.'))
        .join('.*')
      assert.equal(matchesWildcard(text, pattern), new RegExp(`^${escaped}$`).test(text))
    }),
  )
})

test('matchesWildcard: runs in linear time', () => {
  assert.equal(matchesWildcard('a'.repeat(10_000), `${'a*'.repeat(1_000)}b`), false)
})

const object = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'web' }
const about = (name: string) => ({ group: 'apps', resource: 'deployments', namespace: 'default', name })

test('configFor: uses the first rules and strategy', () => {
  const rules = [{ type: 'WellKnownStatus' as const }]
  const config = configFor(object, [
    { resourceIdentifier: about('other'), updateStrategy: { type: 'ReadOnly' }, feedbackScrapeType: 'Poll' },
    { resourceIdentifier: about('w*'), feedbackRules: [], feedbackScrapeType: 'Poll' },
    { resourceIdentifier: about('*'), updateStrategy: { type: 'CreateOnly' }, feedbackScrapeType: 'Poll' },
    {
      resourceIdentifier: about('web'),
      feedbackRules: rules,
      updateStrategy: { type: 'Update' },
      feedbackScrapeType: 'Watch',
    },
  ])
  assert.deepEqual(config, { feedbackRules: rules, updateStrategy: { type: 'CreateOnly' } })
})

test('configFor: ignores empty configs', () => {
  assert.equal(configFor(object, [{ resourceIdentifier: about('web'), feedbackScrapeType: 'Watch' }]), undefined)
  assert.equal(configFor(object, undefined), undefined)
})
