import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { hubCrds, type ManifestConfig, ManifestWork, spokeCrds } from '@orrery/api'
import { boolType, type CelType, compile, dynType, formatType, stringType } from '@orrery/cel'
import { itemsOf, type JsonSchema } from '@orrery/cel/schema'
import {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  type KubeObject,
  Namespace,
  type ResourceType,
  Role,
  ServiceAccount,
} from '@orrery/kinds'
import { compileRelaxedJsonPath, formatGroupVersion, isObject, keyOf, StatusError } from '@orrery/kinds/values'
import { EXAMPLES, readExamples } from './examples.js'
import { type KindServer, startKindServer } from './kind-server.js'

const examples = readExamples()

const custom: readonly ResourceType[] = [...hubCrds(), ...spokeCrds()].flatMap(({ spec }) =>
  spec.versions.map(({ name }) => ({
    group: spec.group,
    version: name,
    kind: spec.names.kind,
    plural: spec.names.plural,
    scope: spec.scope as ResourceType['scope'],
  })),
)

/** Kinds of Kubernetes in the examples. */
const BUILT_IN: readonly ResourceType[] = [Namespace, Role, ClusterRole, ClusterRoleBinding, ServiceAccount, Deployment]

/** Kinds that controllers and agents write and users only read. */
const READ_ONLY = ['AppliedManifestWork', 'ClusterProfile', 'PlacementDecision']

let server: KindServer
before(async () => {
  server = await startKindServer()
  for (const name of new Set(examples.map(({ object }) => object.metadata.namespace))) {
    if (name !== undefined) await server.client.create(Namespace, { metadata: { name } })
  }
})
after(() => server.close())

function kindOf({ apiVersion, kind }: KubeObject): ResourceType {
  const found = [...custom, ...BUILT_IN].find(
    (type) => type.kind === kind && formatGroupVersion(type.group, type.version) === apiVersion,
  )
  assert.ok(found, `${apiVersion} ${kind} is known`)
  return found
}

/** Writes an object, and its status with the status subresource. */
async function write(verb: 'apply' | 'create', object: KubeObject): Promise<KubeObject> {
  const kind = kindOf(object)
  const { status, ...rest } = object
  const written = await server.client[verb](kind, rest, { fieldManager: 'examples', fieldValidation: 'Strict' })
  if (status === undefined) return { ...written }
  const body = { ...written, status }
  return { ...(await server.client.update(kind, body, { subresource: 'status', fieldValidation: 'Strict' })) }
}

for (const { file, object } of examples) {
  const { name = '', namespace } = object.metadata
  test(`${file}: the ${object.kind} ${keyOf({ namespace, name })} is accepted unchanged`, async () => {
    const { status } = await write('apply', object)
    if (object.status !== undefined) assert.deepEqual(status, object.status)
  })
}

test('examples: cover every kind that users write', () => {
  const shown = new Set(examples.map(({ object }) => object.kind))
  const missing = custom.filter(({ kind }) => !shown.has(kind) && !READ_ONLY.includes(kind))
  assert.deepEqual(missing, [])
})

interface WorkSpec {
  readonly manifestConfigs?: readonly ManifestConfig[]
  readonly manifestWorkTemplate?: WorkSpec
}

/** The manifestConfigs of all examples. */
const configs = examples.flatMap(({ object }) => {
  const { manifestConfigs = [], manifestWorkTemplate } = (object.spec ?? {}) as WorkSpec
  return [...manifestConfigs, ...(manifestWorkTemplate?.manifestConfigs ?? [])]
})

test('examples: cover every field of manifestConfigs', () => {
  const shown = new Set(configs.flatMap((config) => choicesIn(config)))
  const spec = ManifestWork.schema.properties?.spec as JsonSchema
  const possible = choicesOf(itemsOf(spec.properties?.manifestConfigs as JsonSchema) as JsonSchema)
  assert.deepEqual(
    possible.filter((choice) => !shown.has(choice)),
    [],
  )
})

/** The fields that a schema has, and the values that it lists for them. */
function choicesOf(schema: JsonSchema, path = ''): string[] {
  const items = itemsOf(schema)
  if (items !== undefined) return choicesOf(items, path)
  if (schema.enum !== undefined) return schema.enum.map((value) => `${path}=${value}`)
  const fields = Object.entries(schema.properties ?? {})
  return fields.length === 0 ? [path] : fields.flatMap(([name, field]) => choicesOf(field, `${path}.${name}`))
}

/** The fields that a value has, and what they are set to. */
function choicesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => choicesIn(item, path))
  if (isObject(value)) return Object.entries(value).flatMap(([name, field]) => choicesIn(field, `${path}.${name}`))
  return [path, `${path}=${value}`]
}

test('examples: expressions and paths compile', () => {
  for (const { conditionRules = [], feedbackRules = [] } of configs) {
    for (const { path } of feedbackRules.flatMap(({ jsonPaths = [] }) => jsonPaths)) compileRelaxedJsonPath(path)
    for (const { celExpressions = [], messageExpression } of conditionRules) {
      for (const rule of celExpressions) assertCompiles(rule, { object: dynType }, boolType)
      if (messageExpression !== undefined) assertCompiles(messageExpression, MESSAGE_VARIABLES, stringType)
    }
  }
})

const MESSAGE_VARIABLES = { object: dynType, result: boolType }

function assertCompiles(source: string, variables: Readonly<Record<string, CelType>>, result: CelType): void {
  const compiled = compile(source, { variables })
  assert.ok(compiled.ok, compiled.ok ? '' : compiled.message)
  assert.equal(formatType(compiled.program.outputType), formatType(result))
}

test('examples/README.md: lists all examples', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8')
  const listed = [...readme.matchAll(/\]\(([^)]+\.yaml)\)/g)].map(([, file]) => file)
  assert.deepEqual(listed.sort(), [...new Set(examples.map(({ file }) => file))].sort())
})

/** Changes that make an example invalid, and the error of the server. */
const SPOILT: readonly [file: string, path: string, value: unknown, said: string][] = [
  ['clusters/managed-cluster.yaml', 'spec.taints.0.effect', 'NoExecute', 'spec.taints[0].effect: Unsupported value'],
  ['clusters/cluster-set.yaml', 'spec.managedNamespaces.0.name', '', 'spec.managedNamespaces[0].name: Invalid value'],
  ['clusters/cluster-claims.yaml', 'spec.value', '', 'spec.value: Invalid value'],
  [
    'placements/by-label.yaml',
    'spec.predicates.0.labelSelector',
    {},
    'unknown field "spec.predicates[0].labelSelector"',
  ],
  [
    'placements/with-room.yaml',
    'spec.prioritizerPolicy.configurations.0.weight',
    11,
    'spec.prioritizerPolicy.configurations[0].weight: Invalid value',
  ],
  [
    'placements/spread.yaml',
    'spec.spreadPolicy.spreadConstraints.0.maxSkew',
    0,
    'spec.spreadPolicy.spreadConstraints[0].maxSkew: Invalid value',
  ],
  [
    'placements/in-waves.yaml',
    'spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup',
    '0%',
    'spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup: Invalid value',
  ],
  [
    'works/config-map.yaml',
    'spec.workload.manifests.0.kind',
    undefined,
    'spec.workload.manifests[0].kind: Required value',
  ],
  [
    'works/feedback.yaml',
    'spec.manifestConfigs.0.feedbackRules.1.jsonPaths.1.name',
    'image',
    'spec.manifestConfigs[0].feedbackRules[1].jsonPaths[1]: Duplicate value',
  ],
  [
    'works/update-strategies.yaml',
    'spec.manifestConfigs.2.updateStrategy.serverSideApply.fieldManager',
    'somebody',
    'spec.manifestConfigs[2].updateStrategy.serverSideApply.fieldManager: Invalid value',
  ],
  [
    'works/conditions.yaml',
    'spec.manifestConfigs.0.conditionRules.1.condition',
    '',
    'spec.manifestConfigs[0].conditionRules[1]: Invalid value: Condition is required for CEL rules',
  ],
  [
    'works/deletion.yaml',
    'spec.deleteOption.propagationPolicy',
    'Background',
    'spec.deleteOption.propagationPolicy: Unsupported value',
  ],
  [
    'works/executor.yaml',
    'spec.executor.subject.serviceAccount.name',
    'Not A Name',
    'spec.executor.subject.serviceAccount.name: Invalid value',
  ],
  ['works/replica-set.yaml', 'spec.placementRefs', [], 'spec.placementRefs: Invalid value'],
  ['addons/template.yaml', 'spec.addonName', undefined, 'spec.addonName: Required value'],
  [
    'addons/deployment-config.yaml',
    'spec.resourceRequirements.1.containerID',
    'inventory-agent',
    'spec.resourceRequirements[1].containerID: Invalid value',
  ],
  ['addons/installed-by-placement.yaml', 'spec.supportedConfigs', [], 'unknown field "spec.supportedConfigs"'],
  ['addons/installed-by-hand.yaml', 'spec.installNamespace', 'x', 'unknown field "spec.installNamespace"'],
  [
    'placements/failover.yaml',
    'spec.returnAbove',
    49,
    'spec: Invalid value: returnAbove must not be less than leaveBelow',
  ],
  [
    'placements/failover.yaml',
    'spec.score.addOn',
    { resourceName: 'a', scoreName: 'b' },
    'spec.score: Invalid value: set calculator or addOn, not both',
  ],
  ['placements/failover.yaml', 'spec.leaveAfter', '1 minute', 'spec.leaveAfter: Invalid value'],
  ['placements/failover.yaml', 'spec.minClusters', 0, 'spec.minClusters: Invalid value'],
  ['scores/addon-placement-score.yaml', 'status.scores.0.value', 101, 'status.scores[0].value: Invalid value'],
  ['scores/managed-cluster-score.yaml', 'status.conditions', undefined, 'status.conditions: Required value'],
]

for (const [index, [file, path, value, said]] of SPOILT.entries()) {
  test(`${file} with ${path}: ${JSON.stringify(value)} is rejected`, async () => {
    const example = examples.find((one) => one.file === file)
    assert.ok(example)
    const spoilt = structuredClone(example.object)
    spoilt.metadata.name = `spoilt-${index}`
    setAt(spoilt, path.split('.'), value)
    await assert.rejects(
      write('create', spoilt),
      (error) => error instanceof StatusError && error.message.includes(said),
    )
  })
}

function setAt(parent: object, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) Object.assign(parent, { [key]: value })
  else setAt((parent as Record<string, object>)[key] as object, rest, value)
}
