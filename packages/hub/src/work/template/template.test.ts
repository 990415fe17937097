import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { METADATA_TEMPLATE_ANNOTATION } from '@orrery/api'
import fc from 'fast-check'
import { compileTemplate } from './template.js'
import { compileText } from './text.js'
import type { ClusterValues } from './values.js'

const west: ClusterValues = {
  name: 'west-1',
  labels: new Map([
    ['region', 'us-west'],
    ['example.com/tier', ''],
    ['replicas', '3'],
    ['canary', 'true'],
  ]),
  claims: new Map([['id.k8s.io', 'a-b-c']]),
}

const fill = (text: string) => compileText(text)?.(west)

suite('compileText', () => {
  test('returns nothing for a text without expressions', () => {
    for (const text of ['', 'plain', '{', '{ {cluster.name} }', '}}', '$(x)'])
      assert.equal(compileText(text), undefined)
  })

  test('renders expressions', () => {
    for (const [text, result] of [
      ['{{cluster.name}}', 'west-1'],
      ['{{ cluster.name }}', 'west-1'],
      ['a-{{cluster.name}}-{{cluster.labels["region"]}}.', 'a-west-1-us-west.'],
      ["{{cluster.claims['id.k8s.io']}}", 'a-b-c'],
      ["{{cluster.labels['example.com/tier']}}", ''],
      ["{{cluster.labels['zone'] ?? 'none'}}", 'none'],
      ["{{cluster.labels['zone'] ?? cluster.claims['zone'] ?? cluster.name}}", 'west-1'],
      ["{{'{{'}} .Values }}", '{{ .Values }}'],
      ["{{'}}'}}", '}}'],
      ['{{cluster.name}}}}', 'west-1}}'],
      ['{{cluster.name}} }', 'west-1 }'],
    ] as const) {
      assert.equal(fill(text), result, text)
    }
  })

  test('renders text, unless an expression converts it', () => {
    assert.equal(fill("{{cluster.labels['replicas']}}"), '3')
    assert.equal(fill("{{number(cluster.labels['replicas'])}}"), 3)
    assert.equal(fill("{{ number( cluster.labels['none'] ?? '1.5' ) }}"), 1.5)
    assert.equal(fill("{{boolean(cluster.labels['canary'])}}"), true)
    assert.throws(
      () => fill("{{number(cluster.labels['region'])}}"),
      /^Error: the value of label "region" is no number$/,
    )
    assert.throws(() => fill("{{boolean('yes')}}"), /^Error: the value of "yes" is no boolean$/)
    assert.throws(() => compileText("x{{number('1')}}"), /there can be no text around them/)
  })

  test('rejects expressions that are not valid', () => {
    for (const text of [
      '{{',
      '{{}}',
      '{{ .Values.x }}',
      '{{cluster.nam}}',
      '{{cluster.names}}',
      '{{cluster.labels}}',
      '{{cluster.labels[region]}}',
      "{{cluster.labels['x'}}",
      "{{cluster.labels['x' ?? 'y']}}",
      '{{cluster.name',
      '{{cluster.name ?? }}',
      '{{cluster.name cluster.name}}',
      "{{number('1'}}",
      "{{eval('1')}}",
      "{{constructor('x')}}",
    ]) {
      assert.throws(() => compileText(text), /is no expression/, text)
    }
  })

  test('reports the values that a cluster does not have', () => {
    assert.throws(
      () => fill("{{cluster.labels['zone'] ?? cluster.claims['zone']}}"),
      /the cluster has no label "zone" and no claim "zone"/,
    )
    assert.throws(() => fill("{{cluster.labels['__proto__']}}"), /no label "__proto__"/)
  })

  test('parses hostile texts in linear time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{{', '}}', "'", '"', '??', 'cluster.name', 'number(', ')', ' ', '['), {
          maxLength: 60,
        }),
        (parts) => {
          try {
            compileText(parts.join(''))
          } catch (error) {
            assert.match((error as Error).message, /is no expression|no text around/)
          }
        },
      ),
    )
    const started = process.cpuUsage().user
    assert.throws(() => compileText(`{{${' '.repeat(300_000)}`))
    assert.ok(process.cpuUsage().user - started < 1_000_000)
  })
})

suite('compileTemplate', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'd' } }

  test('renders manifests, and the names in manifestConfigs and deleteOption', () => {
    const plain = { ...configMap, data: { a: 'b' } }
    const render = compileTemplate({
      workload: {
        manifests: [
          { ...configMap, data: { region: "{{cluster.labels['region']}}", list: ['x', '{{cluster.name}}'] } },
          plain,
        ],
      },
      manifestConfigs: [
        {
          resourceIdentifier: { group: '', resource: 'configmaps', name: 'c-{{cluster.name}}', namespace: 'd' },
          feedbackScrapeType: 'Poll',
          conditionRules: [{ type: 'CEL', condition: 'X', celExpressions: ['object.x == "{{cluster.name}}"'] }],
        },
      ],
      deleteOption: {
        propagationPolicy: 'SelectivelyOrphan',
        selectivelyOrphans: {
          orphaningRules: [{ group: '', resource: 'configmaps', name: '{{cluster.name}}', namespace: 'd' }],
        },
      },
    })
    const work = render(west)
    assert.deepEqual(work.workload?.manifests?.[0]?.data, { region: 'us-west', list: ['x', 'west-1'] })
    assert.equal(work.workload?.manifests?.[1], plain, 'what has no expressions is shared')
    assert.equal(work.manifestConfigs?.[0]?.resourceIdentifier.name, 'c-west-1')
    assert.deepEqual(work.manifestConfigs?.[0]?.conditionRules?.[0]?.celExpressions, ['object.x == "{{cluster.name}}"'])
    assert.equal(work.deleteOption?.selectivelyOrphans?.orphaningRules?.[0]?.name, 'west-1')
  })

  test('merges metadata templates that API servers would not accept as metadata', () => {
    const template = { namespace: 'ns-{{cluster.name}}', labels: { region: "{{cluster.labels['region']}}" } }
    const metadata = {
      ...configMap.metadata,
      labels: { app: 'x' },
      annotations: { [METADATA_TEMPLATE_ANNOTATION]: JSON.stringify(template), keep: 'me' },
    }
    const work = compileTemplate({ workload: { manifests: [{ ...configMap, metadata }] } })(west)
    assert.deepEqual(work.workload?.manifests?.[0]?.metadata, {
      name: 'c',
      namespace: 'ns-west-1',
      labels: { app: 'x', region: 'us-west' },
      annotations: { keep: 'me' },
    })
  })

  test('reports the path of an error', () => {
    const withData = (data: object) => ({ workload: { manifests: [configMap, { ...configMap, data }] } })
    assert.throws(
      () => compileTemplate(withData({ a: '{{x}}' })),
      /^Error: workload\.manifests\[1\]\.data\.a: "{{x}}" is no/,
    )
    assert.throws(
      () => compileTemplate(withData({ a: "{{cluster.labels['q']}}" }))(west),
      /^Error: workload\.manifests\[1\]\.data\.a: the cluster has no label "q"$/,
    )
    const annotated = (text: string) => ({
      workload: {
        manifests: [{ ...configMap, metadata: { name: 'c', annotations: { [METADATA_TEMPLATE_ANNOTATION]: text } } }],
      },
    })
    assert.throws(() => compileTemplate(annotated('{')), /workload\.manifests\[0\]: the annotation .* cannot be read/)
    assert.throws(() => compileTemplate(annotated('[]')), /it is not a JSON object/)
    assert.throws(() => compileTemplate(annotated('{"uid":"x"}')), /"uid" cannot be set: there are name, namespace/)
    assert.throws(() => compileTemplate(annotated('{"name":1}')), /the value of name is of another type/)
  })

  test('treats names of object properties, such as __proto__, as data', () => {
    const data = JSON.parse('{"__proto__": "{{cluster.name}}", "constructor": "{{cluster.name}}"}')
    const work = compileTemplate({ workload: { manifests: [{ ...configMap, data }] } })(west)
    assert.equal(JSON.stringify(work.workload?.manifests?.[0]?.data), '{"__proto__":"west-1","constructor":"west-1"}')
  })
})
