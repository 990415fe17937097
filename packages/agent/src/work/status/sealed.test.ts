import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmbeddedObject } from '@orrery/api'
import { generateSealingKeys, sealManifest } from '@orrery/kube/seal'
import { objectOf, optionsFor, outcomeOf, type Part, workOf } from './testing.fixture.js'
import { workStatusOf } from './work.js'

const CLEAR = Buffer.from('open sesame').toString('base64')
const secret = objectOf('v1', 'Secret', { data: { password: CLEAR }, type: 'Opaque' })
const jsonPaths = [
  { name: 'password', path: '.data.password' },
  { name: 'type', path: '.type' },
]
const conditionRules = [
  {
    type: 'CEL' as const,
    condition: 'Read',
    celExpressions: ['true'],
    messageExpression: 'has(object.data) ? object.data.password : "nothing"',
  },
]
const parts: Part[] = [{ object: secret, feedbackRules: [{ type: 'JSONPaths', jsonPaths }], conditionRules }]

function statusWith(manifest: EmbeddedObject): string {
  const work = workOf(parts)
  const withManifest = { ...work, spec: { ...work.spec, workload: { manifests: [manifest] } } }
  return JSON.stringify(workStatusOf(withManifest, outcomeOf(parts), optionsFor(parts)))
}

test('workStatusOf: never reports the values of a sealed Secret to the hub', () => {
  const { publicKey } = generateSealingKeys()
  const manifest = secret as unknown as EmbeddedObject
  assert.ok(statusWith(manifest).includes(CLEAR))
  const status = statusWith(sealManifest(manifest, { cluster: 'c1', publicKey }))
  assert.ok(!status.includes(CLEAR))
  assert.ok(status.includes('"Opaque"') && status.includes('nothing'))
})
