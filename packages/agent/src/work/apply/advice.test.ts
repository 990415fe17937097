import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure, type StatusReason } from '@orrery/kinds/values'
import { SealError } from '@orrery/kube/seal'
import { ConnectionError } from '@orrery/kube/transport'
import { adviceFor } from './advice.js'

const meta = {
  ordinal: 0,
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  resource: 'deployments',
  namespace: 'a',
  name: 'b',
}
const refused = (code: number, reason: StatusReason, message: string, details = {}) =>
  adviceFor(failure(code, reason, message, details), meta) ?? ''

test('adviceFor: has advice for every kind of API error', () => {
  const cases: readonly (readonly [advice: string, expected: RegExp])[] = [
    [refused(401, 'Unauthorized', 'Unauthorized'), /credentials/],
    [
      refused(405, 'MethodNotAllowed', 'create is not supported'),
      /does not support this write for a Deployment.*ReadOnly/,
    ],
    [refused(409, 'AlreadyExists', 'object is being deleted: "b" already exists'), /retries.*finalizers/],
    [refused(409, 'Conflict', 'the object has been modified'), /Others change it at the same time/],
    [refused(413, 'RequestEntityTooLarge', 'limit is 3145728'), /Split it/],
    [refused(500, 'InternalError', 'etcdserver: request is too large'), /Split it/],
    [refused(404, 'NotFound', 'the server could not find the requested resource'), /no longer has the kind Deployment/],
    [refused(404, 'NotFound', 'roles "r" not found', { kind: 'roles', name: 'r' }), /Add a manifest for roles "r"/],
    [
      refused(403, 'Forbidden', 'pods "b" is forbidden: violates PodSecurity "restricted:latest"'),
      /namespace "a".*enforce/,
    ],
    [refused(422, 'Invalid', `ValidatingAdmissionPolicy 'p' with binding 'q' denied request: no`), /policy 'p'/],
    [refused(403, 'Forbidden', 'maximum cpu usage per Container is 1'), /An admission rule of the cluster forbids it/],
    [refused(422, 'Invalid', 'Deployment.apps "b" is invalid'), /^Correct the manifest$/],
    [refused(429, 'TooManyRequests', 'too many requests'), /retries until/],
    [refused(503, 'ServiceUnavailable', 'away'), /retries until/],
    [refused(507, 'InsufficientStorage', 'full'), /Free disk space/],
  ]
  for (const [advice, expected] of cases) assert.match(advice, expected)
})

test('adviceFor: recognizes messages about immutable fields', () => {
  for (const said of [
    'spec.selector: Invalid value: {}: field is immutable',
    'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
    'roleRef: Invalid value: {}: cannot change roleRef',
  ]) {
    assert.match(refused(422, 'Invalid', `Deployment.apps "b" is invalid: ${said}`), /^An existing Deployment cannot/)
  }
})

test('adviceFor: names only the first of many fields', () => {
  const causes = Array.from({ length: 9 }, (_, index) => ({ field: `spec.f${index}` }))
  assert.equal(
    refused(422, 'Invalid', 'it is invalid', { causes: [...causes, ...causes, { field: '<nil>' }] }),
    'Correct spec.f0, spec.f1, spec.f2, spec.f3, spec.f4 and 4 more fields in the manifest',
  )
})

test('adviceFor: names only the missing permission if it is for another resource', () => {
  const message =
    'x is forbidden: User "agent" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io"'
  const details = { group: 'authorization.k8s.io', kind: 'subjectaccessreviews' }
  const rule = '{"apiGroups":["authorization.k8s.io"],"resources":["subjectaccessreviews"],"verbs":["create"]}'
  assert.ok(refused(403, 'Forbidden', message, details).endsWith(`that has the rule ${rule}`))
})

test('adviceFor: has advice for errors without a Status', () => {
  assert.match(adviceFor(new ConnectionError('refused', { code: 'ECONNREFUSED', sent: false }), meta) ?? '', /answers$/)
  assert.match(adviceFor(new SealError('unsealed'), meta) ?? '', /seal the Secret again/)
  assert.equal(adviceFor(new Error('odd'), meta), undefined)
})
