import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchConditionVariables } from './admission.js'
import { CelAuthorizer, resourceCheckType } from './library/authorizer.js'
import { outcome } from './testing.fixture.js'

const authorizer = new CelAuthorizer(({ verb }) => ({ allowed: verb === 'update', reason: '' }))
const bindings = {
  object: { metadata: { labels: { app: 'web' } } },
  oldObject: null,
  request: {
    kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
    namespace: 'ns',
    operation: 'CREATE',
    userInfo: { username: 'jane', groups: ['dev'] },
  },
  authorizer,
  'authorizer.requestResource': authorizer.with({ resource: 'deployments' }, resourceCheckType),
}

test('matchConditionVariables: match conditions can use the request', () => {
  const conditions = [
    'request.kind.kind == "Deployment" && request.namespace == "ns"',
    'request.operation == "CREATE" && oldObject == null',
    '"dev" in request.userInfo.groups',
    '!has(request.dryRun)',
    'object.metadata.labels.app == "web"',
    'authorizer.requestResource.check("update").allowed()',
    '!authorizer.group("").resource("pods").check("get").allowed()',
  ]
  for (const condition of conditions) {
    assert.equal(outcome(condition, { variables: matchConditionVariables, bindings }), true, condition)
  }
  assert.equal(outcome('request.nope', { variables: matchConditionVariables, bindings }), "undefined field 'nope'")
})
