import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewManifestWorkSpec } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { conditionTextsOf, manifestConditionTexts, valuesOf } from './statusreading.js'
import { configMap, inDefault, manifestOf, WorkPair } from './work-pair.js'

/** All ConfigMaps are ReadOnly, with feedback for these keys. */
function looking(keys: readonly string[]): Pick<NewManifestWorkSpec, 'manifestConfigs'> {
  const jsonPaths = keys.map((name) => ({ name, path: `.data.${name}` }))
  return {
    manifestConfigs: [
      {
        resourceIdentifier: { group: '', resource: 'configmaps', namespace: '*', name: '*' },
        updateStrategy: { type: 'ReadOnly' },
        feedbackRules: [{ type: 'JSONPaths', jsonPaths }],
      },
    ],
  }
}

test('feedback: omits a value of a megabyte with a message, and reports the others', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.spoke.client.create(ConfigMap, {
    metadata: inDefault('big'),
    data: { huge: 'x'.repeat(1_000_000), small: 'fine' },
  })
  await pair.startAgent()
  await pair.createWork('w', [configMap('big', {}), configMap('missing', {})], looking(['huge', 'small']))
  const work = await pair.whenApplied('w')
  assert.deepEqual(valuesOf(work), { small: 'fine' })
  assert.equal(
    manifestConditionTexts(work).StatusFeedbackSynced,
    'False StatusFeedbackSyncFailed: Sync status feedback failed with error ' +
      'the length of returned string for name huge is larger than the maximum length 32768',
  )
  assert.match(conditionTextsOf(work).Available ?? '', /^False ResourcesNotAvailable: 1 of 2/)
})

test('feedback: reports values up to the limit of a work', async (t) => {
  const pair = await WorkPair.start(t)
  const names = Array.from({ length: 50 }, (_, index) => `m${index}`)
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
  const data = Object.fromEntries(keys.map((key) => [key, '"'.repeat(2_000)]))
  await Promise.all(names.map((name) => pair.spoke.client.create(ConfigMap, { metadata: inDefault(name), data })))
  await pair.startAgent()
  await pair.createWork(
    'w',
    names.map((name) => configMap(name, {})),
    looking(keys),
  )
  const work = await pair.whenApplied('w')
  assert.ok(JSON.stringify(work.status).length < 512_000)
  assert.deepEqual(Object.keys(valuesOf(work, 0)), keys)
  assert.equal(manifestOf(work, 49)?.statusFeedback, undefined)
  const { StatusFeedbackSynced, Available } = manifestConditionTexts(work, 49)
  assert.match(StatusFeedbackSynced ?? '', /no space for k0: the feedback values of a work are limited to 262144 bytes/)
  assert.match(Available ?? '', /^True/)
})
