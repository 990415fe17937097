import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ManifestConfig } from './manifest-config.js'
import { configFor, wildcard } from './merged-config.js'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 8 })
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 })

test('wildcard: matches any text with an asterisk and nothing else specially', () => {
  fc.assert(
    fc.property(letters, pattern, (text, pattern) => {
      const escaped = pattern
        .split('*')
        .map((part) => part.replaceAll('.', '\\.'))
        .join('.*')
      assert.equal(wildcard(pattern)(text), new RegExp(`^${escaped}$`).test(text))
    }),
  )
})

test('wildcard: runs in linear time', () => {
  assert.equal(wildcard(`${'a*'.repeat(1_000)}b`)('a'.repeat(10_000)), false)
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

test('configFor: looks up configs that name an object, in the order of all that select it', () => {
  let reads = 0
  const configs = Array.from({ length: 300 }, (_, index) => ({
    resourceIdentifier: {
      resource: 'configmaps',
      get name() {
        reads++
        return `c${index}`
      },
    },
    updateStrategy: { type: index % 2 === 0 ? 'Update' : 'CreateOnly' },
  })) as ManifestConfig[]
  const typeOf = (name: string, all = configs) => configFor({ resource: 'configmaps', name }, all)?.updateStrategy?.type
  for (let index = 0; index < 300; index++) assert.equal(typeOf(`c${index}`), index % 2 === 0 ? 'Update' : 'CreateOnly')
  assert.equal(typeOf('d'), undefined)
  assert.ok(reads <= 5 * 300, `${reads} reads`)
  const any = { resourceIdentifier: { resource: 'configmaps', name: '*' }, updateStrategy: { type: 'ReadOnly' } }
  assert.equal(typeOf('c1', [any as ManifestConfig, ...configs]), 'ReadOnly')
  assert.equal(typeOf('c1', [...configs, any as ManifestConfig]), 'CreateOnly')
  assert.equal(typeOf('d', [...configs, any as ManifestConfig]), 'ReadOnly')
})
