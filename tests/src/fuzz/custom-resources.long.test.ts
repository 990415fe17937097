import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { FuzzServer } from './fuzz-server.js'
import { mutated, nasty } from './mutate.js'
import { Random } from './random.js'
import { LENGTH, SEED } from './settings.js'
import { WIDGET, WIDGETS } from './widget.js'
import { JSON_BODY, randomWrite } from './writes.js'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const COLLECTION = '/apis/fuzz.example.test/v1/namespaces/default/widgets'
const FORMS = ['application/json;as=Table;g=meta.k8s.io;v=v1', 'application/yaml', 'application/json']

async function withWidgets(t: TestContext): Promise<FuzzServer> {
  const fuzz = await FuzzServer.start(t)
  const made = await fuzz.send({ method: 'POST', path: DEFINITIONS, headers: JSON_BODY, body: JSON.stringify(WIDGETS) })
  assert.equal(made.status, 201, made.body.toString())
  await fuzz.served(COLLECTION)
  return fuzz
}

test('custom resources: no misplaced value breaks a write', async (t) => {
  const fuzz = await withWidgets(t)
  const random = new Random(SEED)
  const made = await fuzz.send({ method: 'POST', path: COLLECTION, headers: JSON_BODY, body: JSON.stringify(WIDGET) })
  assert.equal(made.status, 201, made.body.toString())
  for (let round = 0; round < 1000 * LENGTH; round++) {
    const object = mutated(random, WIDGET, undefined)
    await fuzz.send(randomWrite(random, COLLECTION, 'fuzz', ['status', 'scale'], object))
    if (round % 50 === 0) {
      for (const accept of FORMS) await fuzz.send({ method: 'GET', path: COLLECTION, headers: { accept } })
    }
  }
})

test('custom resources: no CRD breaks the server, and its resources can be used', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const random = new Random(SEED)
  for (let round = 0; round < 150 * LENGTH; round++) {
    const definition = mutated(random, WIDGETS, undefined)
    const { status } = await fuzz.send({
      method: 'POST',
      path: DEFINITIONS,
      headers: JSON_BODY,
      body: JSON.stringify(definition),
    })
    if (status !== 201) continue
    const path = `${DEFINITIONS}/widgets.fuzz.example.test`
    await fuzz.send({ method: 'POST', path: COLLECTION, headers: JSON_BODY, body: JSON.stringify(WIDGET) })
    await fuzz.send(randomWrite(random, COLLECTION, 'fuzz', ['status', 'scale'], mutated(random, WIDGET, undefined)))
    for (const accept of FORMS) await fuzz.send({ method: 'GET', path: COLLECTION, headers: { accept } })
    await fuzz.send({ method: 'GET', path: '/openapi/v3/apis/fuzz.example.test/v1' })
    await fuzz.send({
      method: 'PUT',
      path,
      headers: JSON_BODY,
      body: JSON.stringify(mutated(random, definition, undefined)),
    })
    await fuzz.send({ method: 'DELETE', path })
    await fuzz.gone(path)
  }
})

test('custom resources: random schemas are rejected or accepted', async (t) => {
  const fuzz = await FuzzServer.start(t)
  const random = new Random(SEED)
  const words = [
    'type',
    'properties',
    'items',
    'allOf',
    'not',
    'default',
    'enum',
    'pattern',
    'format',
    '$ref',
    'x-kubernetes-validations',
    'additionalProperties',
    'required',
    'x-kubernetes-list-type',
  ]
  const schema = (depth: number): unknown => {
    if (depth > 4 || random.chance(0.3)) return nasty(random)
    return Object.fromEntries(
      Array.from({ length: 1 + random.below(4) }, () => [random.pick(words), schema(depth + 1)]),
    )
  }
  for (let round = 0; round < 300 * LENGTH; round++) {
    const definition = structuredClone(WIDGETS)
    const [version] = definition.spec.versions as unknown as { schema: { openAPIV3Schema: unknown } }[]
    if (version !== undefined) version.schema.openAPIV3Schema = { type: 'object', properties: { spec: schema(0) } }
    const body = JSON.stringify(definition)
    await fuzz.send({ method: 'POST', path: `${DEFINITIONS}?dryRun=All`, headers: JSON_BODY, body })
  }
})
