import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { invalid, MAX_FIELD_ERRORS } from '@orrery/kinds/values'
import { validateCreate, validateUpdate, warningsFor } from '../index.js'
import { POD, SELECTOR } from '../samples.fixture.js'
import { created, withField } from '../testing.fixture.js'

/** Linear work takes a second or two of CPU time; quadratic work takes longer. */
const MAX_MICROSECONDS = 20_000_000

const times = (length: number, of: (index: number) => JsonValue): JsonValue[] =>
  Array.from({ length }, (_, index) => of(index))

/** Returns the error of a pod as a client gets it. */
function refusalOf(object: KubeObject): string {
  const errors = validateCreate(object.apiVersion === 'v1' ? '' : 'apps', object.kind, created(object))
  return errors.length === 0 ? '' : invalid({ group: '', kind: object.kind }, 'p', errors).message
}

const podWith = (spec: JsonObject, container: JsonObject = {}) =>
  withField(POD, 'spec', { containers: [{ name: 'c', image: 'x', ...container }], ...spec })

const volumes = times(20_000, (i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName: 'a' } }))
const mounts = times(20_000, (i) => ({ name: `v${i}`, mountPath: `/m${i}` }))
const keys = (letter: string) => times(45_000, (i) => `${letter}${i}`)

const POD_SPEC: JsonObject = {
  volumes: times(12_000, (i) => ({ name: `w${i}`, emptyDir: {} })),
  containers: [{ name: 'c', image: 'x' }],
}

const PODS: readonly (readonly [string, () => KubeObject, RegExp])[] = [
  [
    'mounts and devices',
    () =>
      podWith(
        { volumes },
        { volumeMounts: mounts, volumeDevices: times(20_000, (i) => ({ name: `v${i}`, devicePath: `/d${i}` })) },
      ),
    /must not already exist in volumeDevices/,
  ],
  [
    'claims, and containers that use others',
    () =>
      podWith(
        { resourceClaims: times(30_000, (i) => ({ name: `r${i}`, resourceClaimName: 'a' })) },
        { resources: { claims: times(60_000, (i) => ({ name: `s${i}` })) } },
      ),
    /must be one of the names in pod.spec.resourceClaims: r0, r1, /,
  ],
  [
    'label keys to match and not to match',
    () => {
      const term = { topologyKey: 'k', labelSelector: {}, matchLabelKeys: keys('a'), mismatchLabelKeys: keys('b') }
      return podWith({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })
    },
    /^$/,
  ],
  [
    'brackets in the path of a field',
    () => {
      const fieldPath = `metadata.labels['${"['".repeat(500_000)}`
      return podWith({}, { env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath } } }] })
    },
    /fieldRef.fieldPath: Invalid value/,
  ],
  [
    'volumes beside templates of a StatefulSet',
    () => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 's' },
      spec: {
        serviceName: 's',
        selector: SELECTOR,
        template: { metadata: { labels: { app: 'x' } }, spec: POD_SPEC },
        volumeClaimTemplates: times(12_000, (i) => ({ metadata: { name: `v${i}` }, spec: {} })),
      },
    }),
    /volumeClaimTemplates/,
  ],
]

for (const [title, object, expected] of PODS) {
  test(`large pods: takes linear time for many ${title}`, () => {
    const start = process.cpuUsage().user
    assert.match(refusalOf(object()).slice(0, 100_000), expected)
    assert.ok(process.cpuUsage().user - start < MAX_MICROSECONDS, `${process.cpuUsage().user - start} µs`)
  })
}

test('large pods: takes linear time for an update with many tolerations', () => {
  const tolerations = times(60_000, (i) => ({ key: `k${i}`, operator: 'Exists' }))
  const old = created(podWith({ tolerations }))
  const changed = (change: JsonValue[]) => validateUpdate('', 'Pod', created(podWith({ tolerations: change })), old, '')
  const start = process.cpuUsage().user
  assert.deepEqual(
    changed([...tolerations, { key: 'more', operator: 'Exists', tolerationSeconds: 3, effect: 'NoExecute' }]),
    [],
  )
  assert.match(String(changed(tolerations.slice(1))[0]?.body), /existing toleration can not be modified/)
  assert.ok(process.cpuUsage().user - start < MAX_MICROSECONDS, `${process.cpuUsage().user - start} µs`)
})

test('large pods: limits the warnings about a duplicate port', () => {
  const ports = times(60_000, () => ({ containerPort: 80 }))
  const warnings = warningsFor('', 'Pod', created(podWith({}, { ports })), undefined)
  assert.equal(warnings[0], 'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]')
  assert.ok(warnings.length < 2000, `${warnings.length} warnings`)
})

const COUNTLESS: readonly (readonly [string, () => KubeObject])[] = [
  ['containers', () => withField(POD, 'spec', { containers: times(300_000, () => ({})) })],
  [
    'names of resources',
    () =>
      podWith(
        {},
        { resources: { limits: Object.fromEntries(times(100_000, (i) => `a${i}`).map((key) => [key, '1'])) } },
      ),
  ],
  ['finalizers', () => withField(POD, 'metadata', { name: 'p', namespace: 'd', finalizers: times(300_000, () => '') })],
]

for (const [title, object] of COUNTLESS) {
  test(`large pods: limits the errors for many invalid ${title}`, () => {
    const errors = validateCreate('', 'Pod', object())
    assert.ok(errors.length > 0 && errors.length <= MAX_FIELD_ERRORS, `${errors.length} errors`)
  })
}
