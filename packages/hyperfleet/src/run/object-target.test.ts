import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ApiObject } from '@orrery/kinds'
import { forbidden } from '@orrery/kinds/values'
import { DryObjects } from '../dry-run/dry-objects.js'
import { EVENT, OBJECT_TASK, startAdapter } from './adapter.fixture.js'
import { execute } from './execute.js'

async function run(t: TestContext, task: string, objects: DryObjects | undefined, generation = 5) {
  const { context } = await startAdapter(t, { task })
  const event = { ...EVENT, data: { ...EVENT.data, generation } }
  return execute(event, { ...context, ...(objects === undefined ? {} : { objects }) })
}

const without = (text: string, replacement = '') => {
  assert.ok(OBJECT_TASK.includes(text), text)
  return OBJECT_TASK.replace(text, replacement)
}

test('execute: names the field of an object that cannot be applied', async (t) => {
  const annotations = '        annotations: { hyperfleet.io/generation: "{{ .generation }}" }\n'
  const cases = [
    [without(annotations), /^manifest\.metadata\.annotations\[hyperfleet\.io\/generation\]: Required value/],
    [without('        name: "{{ .clusterId }}"\n'), /^manifest\.metadata\.name: Required value/],
    [
      without('manifest:\n', 'manifest: |\n').replace(
        'kind: ConfigMap\n',
        '{{ if eq .generation 1 }}\n      kind: Secret\n      {{ else }}\n      kind: ConfigMap\n      {{ end }}\n',
      ),
      /^manifest\.kind is "ConfigMap", and discovery looks for Secret: write one kind/,
    ],
  ] as const
  for (const [task, expected] of cases) {
    const { errors, resources } = await run(t, task, new DryObjects([], []))
    assert.match(errors.resources ?? '', expected)
    assert.deepEqual(
      resources.map(({ status }) => status),
      ['failed'],
    )
  }
})

test('execute: fails without a client of the API', async (t) => {
  const { errors } = await run(t, OBJECT_TASK, undefined)
  assert.equal(errors.resources, 'transport.client is kubernetes, and there is no client of the API')
})

class UndeletableObjects extends DryObjects {
  override async delete({ metadata: { name } }: ApiObject): Promise<void> {
    throw forbidden({ group: '', resource: 'configmaps' }, name, 'no')
  }
}

const stored = (kind: string) =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'abc123', namespace: 'clusters', labels: { cluster: 'abc123' } },
    data: { password: 'aHVudGVyMg==' },
  }) as unknown as ApiObject

test('execute: reports that an object cannot be deleted', async (t) => {
  const { errors, resources, discovered } = await run(
    t,
    OBJECT_TASK,
    new UndeletableObjects([stored('ConfigMap')], []),
    9,
  )
  assert.match(errors.resources ?? '', /configmaps "abc123" is forbidden/)
  assert.deepEqual(
    resources.map(({ operation, status }) => [operation, status]),
    [['delete', 'failed']],
  )
  assert.ok(discovered.settings !== undefined)
})

test('execute: the result of a deleted Secret does not have its data', async (t) => {
  const task = OBJECT_TASK.replace('kind: ConfigMap', 'kind: Secret')
  const { resources } = await run(t, task, new DryObjects([stored('Secret')], []), 9)
  assert.deepEqual(
    resources.map(({ kind, operation, resourceName }) => [kind, operation, resourceName]),
    [['Secret', 'delete', 'abc123']],
  )
  assert.doesNotMatch(JSON.stringify(resources), /aHVudGVyMg/)
})
