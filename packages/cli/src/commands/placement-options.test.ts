import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError } from 'commander'
import {
  clusterCount,
  placementName,
  prioritizers,
  selectors,
  separateSelectors,
  spreadConstraints,
  tolerations,
} from './placement-options.js'

/** Expects a usage error with a hint for each text. */
function refuses(parse: (text: string) => unknown, texts: readonly string[], hint: RegExp): void {
  for (const text of texts) {
    assert.throws(
      () => parse(text),
      (error: unknown) => error instanceof InvalidArgumentError && hint.test(error.message),
      text,
    )
  }
}

test('placementName, clusterCount: refuse what the API refuses', () => {
  assert.equal(placementName('web.eu'), 'web.eu')
  refuses(placementName, ['Web', '', 'a_b'], /Not a valid name of a placement/)
  assert.equal(clusterCount('3'), 3)
  refuses(clusterCount, ['0', '-1', '1.5', 'all', ''], /number of clusters from 1/)
})

test('selectors: keeps the requirements of one text together, separateSelectors divides them', () => {
  assert.deepEqual(selectors('a=b,c in (x,y)', ['d']), ['d', 'a=b,c in (x,y)'])
  assert.deepEqual(separateSelectors('a=b, c in (x,y),!e', ['d']), ['d', 'a=b', 'c in (x,y)', '!e'])
  refuses(selectors, ['', 'a=b=c', 'a in'], /Not a valid selector/)
  refuses(separateSelectors, ['a=b,', ',a'], /Not a valid selector/)
})

test('prioritizers: parses the format of clusteradm, with a default weight', () => {
  assert.deepEqual(prioritizers('BuiltIn:Steady, AddOn:usage:cpu:-10'), [
    { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Steady' }, weight: 1 },
    { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'usage', scoreName: 'cpu' } }, weight: -10 },
  ])
  refuses(prioritizers, ['', 'Steady', 'builtin:Steady', 'BuiltIn:', 'AddOn:usage', 'AddOn:a:b:1:2'], /BuiltIn:NAME/)
  refuses(prioritizers, ['BuiltIn:Steady:11', 'BuiltIn:Steady:x', 'AddOn:a:b:1.5'], /A weight is a number from -10/)
})

test('tolerations: a value compares it, no value tolerates all values of the key', () => {
  assert.deepEqual(tolerations('gpu=a100:NoSelect,gpu:NoSelectIfNew,x='), [
    { key: 'gpu', operator: 'Equal', value: 'a100', effect: 'NoSelect' },
    { key: 'gpu', operator: 'Exists', effect: 'NoSelectIfNew' },
    { key: 'x', operator: 'Equal', value: '' },
  ])
  refuses(tolerations, ['', '=a', 'gpu:NoSchedule', 'a:b:c'], /Use KEY\[=VALUE\]\[:EFFECT\]/)
})

test('spreadConstraints: parses labels and claims with a skew', () => {
  assert.deepEqual(spreadConstraints('Label:region,Claim:zone:3'), [
    { topologyKeyType: 'Label', topologyKey: 'region', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    { topologyKeyType: 'Claim', topologyKey: 'zone', maxSkew: 3, whenUnsatisfiable: 'DoNotSchedule' },
  ])
  refuses(spreadConstraints, ['region', 'Label:', 'Label:region:0', 'Taint:a'], /Use Label:KEY/)
})
