import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jqPaths } from './jq-paths.js'
import { IgnoreFieldError } from './path.js'

const deployment = {
  metadata: { annotations: { 'example.com/a': '1', plain: '2' } },
  spec: {
    replicas: 3,
    paused: null,
    containers: [
      { name: 'web', image: 'web:1', ports: [{ port: 80 }, { port: 443 }] },
      { name: 'sidecar', image: 'side:1', cpu: 2 },
    ],
  },
}

const CASES: readonly (readonly [string, unknown])[] = [
  ['.', [[]]],
  ['.spec.replicas', [['spec', 'replicas']]],
  ['.spec|.replicas', [['spec', 'replicas']]],
  ['.spec["replicas"]', [['spec', 'replicas']]],
  ['.["spec"].replicas', [['spec', 'replicas']]],
  ['.metadata.annotations."example.com/a"', [['metadata', 'annotations', 'example.com/a']]],
  ['.spec.containers[0].image', [['spec', 'containers', 0, 'image']]],
  ['.spec.containers.[0].image', [['spec', 'containers', 0, 'image']]],
  ['.spec.containers[-1].image', [['spec', 'containers', 1, 'image']]],
  [
    '.spec.containers[].image',
    [
      ['spec', 'containers', 0, 'image'],
      ['spec', 'containers', 1, 'image'],
    ],
  ],
  ['.spec.containers[] | select(.name == "sidecar") | .image', [['spec', 'containers', 1, 'image']]],
  ['.spec.containers[] | select(.name != "web").cpu', [['spec', 'containers', 1, 'cpu']]],
  ['.spec.containers[] | select(.cpu > 1 and .name == "sidecar") | .cpu', [['spec', 'containers', 1, 'cpu']]],
  ['.spec.containers[] | select(has("cpu")) | .cpu', [['spec', 'containers', 1, 'cpu']]],
  ['.spec.containers[] | select(.cpu) | .cpu', [['spec', 'containers', 1, 'cpu']]],
  ['.spec.containers[] | select(.cpu | not) | .image', [['spec', 'containers', 0, 'image']]],
  ['.spec.containers[] | select((.cpu == 2 or .cpu == 3) | not) | .image', [['spec', 'containers', 0, 'image']]],
  ['.spec.containers[] | select(.image | startswith("side")) | .image', [['spec', 'containers', 1, 'image']]],
  ['.spec.containers[] | select((.name) == "web") | .name', [['spec', 'containers', 0, 'name']]],
  [
    '.spec | .replicas, .paused',
    [
      ['spec', 'replicas'],
      ['spec', 'paused'],
    ],
  ],
  ['(.spec | .containers)[0].name', [['spec', 'containers', 0, 'name']]],
  ['.spec.replicas[]?', []],
  ['.spec.replicas.deep?', []],
  ['.spec.nowhere.deeper', [['spec', 'nowhere', 'deeper']]],
  ['.spec.containers[0] | .. | select(.port? == 443)', [['spec', 'containers', 0, 'ports', 1]]],
]

for (const [expression, paths] of CASES) {
  test(`jqPaths: ${expression} selects what jq selects`, () => {
    assert.deepEqual(jqPaths(deployment, expression), paths)
  })
}

test('jqPaths: .. finds every .image', () => {
  const images = jqPaths(deployment, '.. | .image?').filter((path) => path.at(-1) === 'image')
  assert.ok(images.some((path) => path.join('.') === 'spec.containers.1.image'))
})

for (const [expression, what] of [
  ['', /unexpected end/],
  ['.spec.', /unexpected/],
  ['spec', /unexpected "spec" at position 1; only path expressions are supported/],
  ['.a | map(.b)', /unexpected "map"/],
  ['.a = 1', /unexpected "="/],
  ['."\\(.a)"', /not supported/],
  ['.[1:2]', /unexpected/],
  ['select(.a == .b)', /unexpected/],
  ['.spec.replicas[]', /cannot iterate over number/],
  ['.spec.containers.name', /cannot index array with "name"/],
  [`${'('.repeat(99)}.a${')'.repeat(99)}`, /nested/],
  ['.. | .. | .. | .. | .. | .. | .. | .. | ..', /more than 50000 places/],
] as const) {
  test(`jqPaths: rejects ${expression.slice(0, 30)} with a reason`, () => {
    assert.throws(
      () => jqPaths(deployment, expression),
      (error) => error instanceof IgnoreFieldError && what.test(error.message),
    )
  })
}

test('jqPaths: accepts or rejects any expression without another error', () => {
  const words = fc.constantFrom(
    '.',
    '.a',
    '..',
    '[',
    ']',
    '(',
    ')',
    '|',
    ',',
    '?',
    'select',
    '"x"',
    '1',
    '==',
    'and',
    'not',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
      try {
        jqPaths(deployment, parts.join(''))
      } catch (error) {
        assert.ok(error instanceof IgnoreFieldError)
      }
    }),
  )
})
