import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import fc from 'fast-check'
import { compileYaml } from './yaml-template.js'

const scope: JsonObject = {
  ClusterName: 'c1',
  Replicas: '3',
  Count: 2,
  Empty: '',
  NodeSelector: { host: 'ssd' },
  Values: { global: { image: 'quay.io/a:v1', list: ['x', 'y'] }, enabled: true },
}

/** The field `x` of an object whose value is this YAML. */
function x(yaml: string, values: JsonObject = scope): JsonValue | undefined {
  const [object] = compileYaml(`kind: K\nx: ${yaml}\n`)(values)
  return (object as JsonObject | undefined)?.x
}

suite('compileYaml', () => {
  const table: readonly [yaml: string, expected: JsonValue | undefined][] = [
    ['{{ .ClusterName }}', 'c1'],
    ['{{.ClusterName}}', 'c1'],
    ['"{{ .ClusterName }}"', 'c1'],
    ['--cluster={{ .ClusterName }}', '--cluster=c1'],
    ['{{ .Values.global.image }}', 'quay.io/a:v1'],
    ['{{ .Replicas }}', 3],
    ['"{{ .Replicas }}"', '3'],
    ["'{{ .Count }}'", '2'],
    ['{{ .Count }}', 2],
    ['{{ .Count | quote }}', 2],
    ['{{ .Values.enabled }}', true],
    ['{{ .NodeSelector }}', { host: 'ssd' }],
    ['{{ toYaml .NodeSelector | nindent 8 }}', { host: 'ssd' }],
    ['[a, {{ .Values.global.list }}]', ['a', ['x', 'y']]],
    ['{{ .Missing | default "a|b" }}', 'a|b'],
    ['{{ .Empty | default .ClusterName }}', 'c1'],
    ['{{ default `d` .Missing }}', 'd'],
    ['{{ .Missing | optional }}', undefined],
    ['[a, {{ .Missing | optional }}]', ['a']],
    ['{{ .ClusterName | b64enc }}', 'YzE='],
    ['{{ "}}" }}', '}}'],
    ['{ {{ .ClusterName }}: y }', { c1: 'y' }],
    ['|\n  first {{ .ClusterName }}\n  second', 'first c1\nsecond\n'],
    ['{ a: { b: c }}', { a: { b: 'c' } }],
  ]
  for (const [yaml, expected] of table) test(`renders ${yaml}`, () => assert.deepEqual(x(yaml), expected))

  test('renders all documents with a kind', () => {
    const render = compileYaml('kind: A\nname: {{ .ClusterName }}\n---\n# nothing\n---\nfoo: bar\n---\nkind: B\n')
    assert.deepEqual(render(scope), [{ kind: 'A', name: 'c1' }, { kind: 'B' }])
    assert.deepEqual(compileYaml('')(scope), [])
  })

  test('reports values that are missing or do not fit, with their path', () => {
    assert.throws(() => x('{{ .Missing }}'), /template\.x: there is no value for \{\{ \.Missing \}\}: set it, or add/)
    assert.throws(() => x('{{ .constructor.name }}'), /no value for/)
    assert.throws(() => x('a{{ .NodeSelector }}'), /cannot be a part of a text/)
    assert.throws(() => x('{{ required "give an image" .Missing }}'), /give an image/)
  })

  test('rejects what it does not support when it compiles', () => {
    for (const yaml of [
      '{{- .ClusterName }}',
      '{{ if .A }}',
      '{{ range .A }}',
      '{{ .A | upper }}',
      '{{ A }}',
      '{{ }}',
      '{{ .A | }}',
      '{{ .A .B }}',
      '{{ default .A }}',
      '{{ $x }}',
    ]) {
      assert.throws(
        () => compileYaml(`kind: K\nx: ${yaml}`, 'agent.yaml'),
        /^Error: agent\.yaml.*is not supported/,
        yaml,
      )
    }
    assert.throws(() => compileYaml('x: {{ .A', 'agent.yaml'), /agent\.yaml: .* has no closing braces/)
    assert.throws(() => compileYaml('x: [', 'agent.yaml'), /agent\.yaml: /)
    assert.throws(() => compileYaml('x: \uE000', 'agent.yaml'), /reserved/)
  })

  test('a value never changes the structure of an object', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [quoted] = compileYaml('kind: K\nx: "{{ .Text }}"\ny: z\n')({ Text: text })
        assert.deepEqual(quoted, { kind: 'K', x: text, y: 'z' })
        const [plain] = compileYaml('kind: K\nx: {{ .Text }}\ny: z\n')({ Text: text })
        assert.deepEqual(Object.keys(plain ?? {}), ['kind', 'x', 'y'])
        assert.equal(String((plain as unknown as JsonObject).x).replace(/\.?0*$/, ''), text.replace(/\.?0*$/, ''))
      }),
    )
  })
})
