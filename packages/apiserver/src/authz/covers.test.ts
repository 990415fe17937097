import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@orrery/kinds/rbac'
import fc from 'fast-check'
import { compactRules, describeRule, describeRules, uncoveredRules } from './covers.js'
import { RuleMatcher } from './rule-matcher.js'
import { access, accessPath, identity } from './testing.fixture.js'

const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some('get', 'list', 'delete', '*'),
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/log', 'secrets', '*/log', '*'),
  resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
})
const pathRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some('get', 'post', '*'),
  nonResourceURLs: some('/healthz', '/healthz/*', '/api/*', '*'),
})
const rules = fc.array(fc.oneof(resourceRule, pathRule), { maxLength: 4 })
const covers = (held: PolicyRule[], wanted: PolicyRule[]) => uncoveredRules(held, wanted).length === 0

test('uncoveredRules: is reflexive', () => {
  fc.assert(fc.property(rules, (held) => covers(held, held)))
})

test('uncoveredRules: is monotonic', () => {
  fc.assert(
    fc.property(
      rules,
      rules,
      rules,
      (held, more, wanted) => !covers(held, wanted) || covers([...held, ...more], wanted),
    ),
  )
})

test('uncoveredRules: is transitive', () => {
  fc.assert(fc.property(rules, rules, rules, (a, b, c) => !(covers(a, b) && covers(b, c)) || covers(a, c)))
})

test('uncoveredRules: returns exactly the missing permissions', () => {
  fc.assert(
    fc.property(rules, rules, (held, wanted) => {
      const missing = uncoveredRules(held, wanted)
      assert.ok(covers([...held, ...missing], wanted))
      for (const rule of missing) assert.ok(!covers(held, [rule]))
    }),
  )
})

test('uncoveredRules: implies that every access of the covered rules is allowed', () => {
  const who = identity('x')
  const requests = [
    ...['get', 'list', 'delete'].flatMap((verb) =>
      ['pods', 'pods/log', 'secrets'].flatMap((resource) =>
        ['', 'apps'].flatMap((group) => ['', 'a', 'b'].map((name) => access(who, verb, resource, { group, name }))),
      ),
    ),
    ...['/healthz', '/healthz/x', '/api/v1'].map((path) => accessPath(who, 'get', path)),
  ]
  const allowed = (held: PolicyRule[]) => {
    const matchers = held.map((rule) => new RuleMatcher(rule))
    return requests.map((request) => matchers.some((matcher) => matcher.allows(request)))
  }
  fc.assert(
    fc.property(rules, rules, (held, wanted) => {
      if (!covers(held, wanted)) return
      const mine = allowed(held)
      for (const [i, theirs] of allowed(wanted).entries()) assert.ok(mine[i] || !theirs)
    }),
  )
})

test('uncoveredRules: compares stars, subresources and names literally', () => {
  const rule = (verbs: string, resources: string, ...resourceNames: string[]): PolicyRule => ({
    verbs: verbs.split(' '),
    apiGroups: [''],
    resources: resources.split(' '),
    resourceNames,
  })
  assert.ok(covers([rule('*', '*')], [rule('get', 'pods/log', 'a')]))
  assert.ok(!covers([rule('get list', 'pods')], [rule('*', 'pods')]))
  assert.ok(covers([rule('get', '*/log')], [rule('get', 'pods/log')]))
  assert.ok(!covers([rule('get', '*/log')], [rule('get', 'pods')]))
  assert.ok(!covers([rule('get', 'pods', 'a')], [rule('get', 'pods')]))
  assert.ok(covers([rule('get', 'pods', 'a'), rule('get', 'pods', 'b')], [rule('get', 'pods', 'a', 'b')]))
  assert.ok(covers([rule('get', 'pods'), rule('list', 'pods')], [rule('get list', 'pods')]))
})

test('uncoveredRules: refuses a huge role quickly unless everything is covered', () => {
  const many = (prefix: string) => Array.from({ length: 1_000 }, (_, i) => `${prefix}${i}`)
  const huge: PolicyRule = { verbs: many('v'), apiGroups: many('g'), resources: many('r'), resourceNames: many('n') }
  assert.deepEqual(uncoveredRules([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], [huge]), [huge])
  assert.deepEqual(uncoveredRules([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [huge]), [])
})

test('compactRules: combines missing permissions for messages', () => {
  const single = (verb: string, resource: string): PolicyRule => ({
    verbs: [verb],
    apiGroups: ['apps'],
    resources: [resource],
  })
  const compact = compactRules([
    single('get', 'deployments'),
    single('list', 'deployments'),
    { verbs: ['get'], nonResourceURLs: ['/x'] },
  ])
  assert.deepEqual(compact.map(describeRule), [
    '{NonResourceURLs:["/x"], Verbs:["get"]}',
    '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}',
  ])
})

const times = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index))

test('uncoveredRules: treats rules beyond its limit as not covered', () => {
  const named = (prefix: string) =>
    times(25_000, (index) => ({
      verbs: ['get'],
      apiGroups: [''],
      resources: ['pods'],
      resourceNames: [prefix + index],
    }))
  const uncovered = uncoveredRules([...named('a'), { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], named('b'))
  assert.ok(uncovered.length > 0)
  const [wide] = named('a')
  const names = [...times(100_000, () => 'a0'), 'b']
  assert.ok(wide !== undefined && uncoveredRules(named('a'), [{ ...wide, resourceNames: names }]).length > 0)
})

test('uncoveredRules: covers ten thousand rules with a hundred', () => {
  const held = times(100, (index) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${index}`] }))
  const wanted = times(10_000, (index) => ({ ...held[index % 100]!, resourceNames: [`n${index}`] }))
  assert.deepEqual(uncoveredRules(held, wanted), [])
})

test('describeRules: shows rules up to 64 KiB, and always the first', () => {
  const long = {
    verbs: ['get'],
    apiGroups: [''],
    resources: ['x'.repeat(1_000_000)],
    resourceNames: times(10_000, String),
  }
  const text = describeRules(uncoveredRules([], [long]))
  assert.ok(text.length < 1_001_000, `${text.length}`)
  assert.ok(text.endsWith('\nand 9999 more'))
  const many = times(20_000, (index) => ({ verbs: [`v${index}`], apiGroups: [''], resources: ['x'] }))
  assert.match(describeRules(many), /^\{APIGroups:\[""\], Resources:\["x"\], Verbs:\["v0" .*\nand \d+ more$/)
})
