import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '@orrery/kube/testing'
import { sharedCluster } from './cluster.js'

const cluster = sharedCluster()
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const YAML = 'application/yaml'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
/** The memory limit of the server for the requests below. */
const MAX_MEMORY = 700 * 1024 * 1024

const times = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index))

/** Ten to the power of `levels` values, in a few lines. */
function aliasBomb(levels: number): string {
  const levelAt = (index: number) => `a${index + 1}: &a${index + 1} [${times(10, () => `*a${index}`).join()}]`
  return ['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: bomb}', 'a0: &a0 [x]', ...times(levels, levelAt)].join(
    '\n',
  )
}

/** A message in a message in a message. */
function nestedMessages(depth: number): Buffer {
  const parts: Buffer[] = []
  let length = 0
  for (let level = 0; level < depth; level++) {
    const bytes = [0x0a]
    for (let rest = length; ; rest >>= 7) {
      bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
      if (rest <= 0x7f) break
    }
    parts.unshift(Buffer.from(bytes))
    length += bytes.length
  }
  return Buffer.concat([Buffer.from('k8s\0'), ...parts])
}

type Hostile = readonly [title: string, method: string, path: string, body: unknown, status: number, type?: string]

const mark = Buffer.from('k8s\0')
const REQUESTS: readonly Hostile[] = [
  [
    'a JSON patch that doubles',
    'PATCH json',
    `${CONFIG_MAPS}/target`,
    times(40, (i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` })),
    422,
  ],
  [
    'a JSON patch that multiplies',
    'PATCH json',
    `${CONFIG_MAPS}/target`,
    times(9000, (i) => ({ op: 'copy', from: '/data/a', path: `/data/k${i}` })),
    422,
  ],
  [
    'a JSON patch of too many steps',
    'PATCH json',
    `${CONFIG_MAPS}/target`,
    times(10_001, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' })),
    413,
  ],
  [
    'a JSON patch with members that mean nothing, more than a client is told',
    'PATCH json',
    `${CONFIG_MAPS}/target?fieldValidation=Strict`,
    [Object.fromEntries(times(200_000, (i) => [`a${i}`, 1]))],
    422,
  ],
  ['YAML aliases that multiply, applied', 'PATCH apply', `${CONFIG_MAPS}/target?fieldManager=a`, aliasBomb(12), 400],
  ['YAML aliases that multiply', 'POST', CONFIG_MAPS, aliasBomb(12), 400, YAML],
  ['YAML that nests', 'POST', CONFIG_MAPS, `a: ${'['.repeat(500_000)}`, 400, YAML],
  ['a compressed body', 'POST', CONFIG_MAPS, gzipSync(Buffer.alloc(50_000_000)).toString('latin1'), 400],
  ['protobuf that nests', 'POST', CONFIG_MAPS, nestedMessages(20_000).toString('latin1'), 400, PROTOBUF],
  [
    'protobuf that repeats',
    'POST',
    CONFIG_MAPS,
    Buffer.concat([mark, Buffer.alloc(2_000_000, '\x12\0')]).toString('latin1'),
    400,
    PROTOBUF,
  ],
  ['JSON that nests', 'POST', CONFIG_MAPS, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400],
  ['a path without end', 'GET', `/${'a'.repeat(900_000)}`, undefined, 431],
]

for (const [title, method, path, body, status, type] of REQUESTS) {
  test(`cost: rejects ${title}`, async () => {
    await cluster().admin.send('POST', CONFIG_MAPS, { metadata: { name: 'target' }, data: { a: 'x'.repeat(100_000) } })
    const headers = type === undefined ? {} : { 'content-type': type }
    const reply = await cluster().admin.send(method, path, body, headers)
    assert.equal(reply.status, status, reply.text.slice(0, 500))
    await isWell()
  })
}

for (const type of ['json', 'merge', 'strategic']) {
  test(`cost: reports repeated keys below a long one in a short message for a ${type} patch`, async () => {
    await cluster().admin.send('POST', CONFIG_MAPS, { metadata: { name: 'repeated' }, data: {} })
    const repeats = `{"${'k'.repeat(1_000_000)}":{${times(100_000, () => '"a":1').join()}}}`
    const body = type === 'json' ? `[{"op":"test","path":"/kind","value":"ConfigMap","x":${repeats}}]` : repeats
    const reply = await cluster().admin.send(`PATCH ${type}`, `${CONFIG_MAPS}/repeated`, body)
    assert.equal(reply.status, 200, reply.text.slice(0, 500))
    await isWell()
  })
}

async function isWell(): Promise<void> {
  assert.equal(await cluster().admin.status('GET', '/readyz'), 200)
  const { text } = await cluster().admin.send('GET', '/metrics')
  const memory = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
  assert.ok(memory < MAX_MEMORY, `${memory} bytes`)
}

let made = 0

function definition(spec: object): { readonly group: string; readonly object: object } {
  const group = `g${++made}.example.com`
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const object = {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  return { group, object }
}

const pattern = (text: string) => ({ type: 'object', properties: { s: { type: 'string', pattern: text } } })
const rule = (text: string, list: object = {}) => ({
  type: 'object',
  properties: { l: { type: 'array', items: { type: 'string', maxLength: 10 }, ...list } },
  'x-kubernetes-validations': [{ rule: text }],
})

const DEFINITIONS: readonly (readonly [string, object])[] = [
  ['a pattern that repeats repetitions', pattern('a{1000}{1000}')],
  ['a pattern that nests', pattern(`${'('.repeat(3000)}a${')'.repeat(3000)}`)],
  ['a rule that compares all with all', rule('self.l.all(x, self.l.all(y, x != y))')],
  ['a rule that nests', rule(`${'('.repeat(50_000)}true${')'.repeat(50_000)}`)],
  ['a rule of many alternatives', rule(times(50_000, () => 'true').join(' || '))],
  ['a rule of many negations', rule(`${'!'.repeat(100_000)}true`)],
]

for (const [title, spec] of DEFINITIONS) {
  test(`cost: rejects a CRD with ${title}`, async () => {
    const reply = await cluster().admin.send('POST', CRDS, definition(spec).object)
    assert.equal(reply.status, 422, reply.text.slice(0, 500))
    await isWell()
  })
}

const OBJECTS: readonly (readonly [string, object, object, RegExp])[] = [
  ['text that makes other engines backtrack', pattern('^(a+)+$'), { s: `${'a'.repeat(1_000_000)}!` }, /should match/],
  ['text for many groups', pattern('(.*)(.*)(.*)(.*)(.*)[0-9]$'), { s: 'a'.repeat(1_000_000) }, /should match/],
  [
    'more comparisons than a rule may make',
    rule('self.l.all(x, self.l.all(y, x != y || true))', { maxItems: 1000 }),
    { l: times(1000, (i) => `a${i}`) },
    /cost limit exceeded/,
  ],
  [
    'many values for a long list of choices',
    {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'string', enum: times(20_000, (i) => `e${i}`) } } },
    },
    { l: times(50_000, (i) => `x${i}`) },
    /Unsupported value/,
  ],
]

for (const [title, spec, value, problem] of OBJECTS) {
  test(`cost: rejects an object with ${title}`, async () => {
    const { group, object } = definition(spec)
    await cluster().create(CRDS, object)
    const path = `/apis/${group}/v1/things`
    await eventually('the kind is served', async () => (await cluster().admin.status('GET', path)) === 200)
    const reply = await cluster().admin.send('POST', path, {
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { name: 'a' },
      spec: value,
    })
    assert.equal(reply.status, 422)
    assert.ok(problem.test(reply.text), reply.text.slice(-500))
    await isWell()
  })
}
