import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster } from './cluster.js'

const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']
const SECRET = 'dG9wLXNlY3JldC1vZi1iZXRh'

async function twoNamespaces(t: Parameters<typeof Cluster.start>[0]): Promise<Cluster> {
  const cluster = await Cluster.start(t)
  await cluster.namespace('alpha')
  await cluster.namespace('beta')
  await cluster.create('/api/v1/namespaces/beta/secrets', { metadata: { name: 'hidden' }, data: { key: SECRET } })
  return cluster
}

test('namespaces: a role in one namespace gives no access to another', async (t) => {
  const cluster = await twoNamespaces(t)
  await cluster.allow('ann', 'alpha', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])
  const ann = cluster.user('ann')
  assert.equal(await ann.status('GET', '/api/v1/namespaces/alpha/secrets'), 200)

  const beta = '/api/v1/namespaces/beta'
  const body = { metadata: { name: 'hidden' } }
  const doors: [string, string, unknown?][] = [
    ['GET', `${beta}/secrets/hidden`],
    ['HEAD', `${beta}/secrets/hidden`],
    ['GET', `${beta}/secrets`],
    ['GET', `${beta}/secrets?watch=1`],
    ['GET', '/api/v1/watch/namespaces/beta/secrets'],
    ['GET', '/api/v1/watch/namespaces/beta/secrets/hidden'],
    ['GET', '/api/v1/watch/secrets'],
    ['GET', '/api/v1/secrets'],
    ['GET', '/api/v1/secrets?watch=1'],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.namespace%3Dalpha'],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.namespace%3Dbeta,metadata.name%3Dhidden'],
    ['GET', `${beta}/secrets?fieldSelector=metadata.namespace%3Dalpha`],
    ['GET', '/api/v1/namespaces/alpha%2F..%2Fbeta/secrets/hidden'],
    ['GET', '/api/v1/namespaces/alpha/../beta/secrets/hidden'],
    ['GET', '/api/v1/namespaces//secrets/hidden'],
    ['POST', `${beta}/secrets`, body],
    ['POST', `${beta}/configmaps`, { metadata: { name: 'x', namespace: 'alpha' } }],
    ['PUT', `${beta}/secrets/hidden`, body],
    ['PATCH merge', `${beta}/secrets/hidden`, {}],
    ['PATCH json', `${beta}/secrets/hidden`, []],
    ['PATCH strategic', `${beta}/secrets/hidden`, {}],
    ['PATCH apply', `${beta}/secrets/hidden?fieldManager=x`, {}],
    ['DELETE', `${beta}/secrets/hidden`],
    ['DELETE', `${beta}/secrets`],
    ['DELETE', '/api/v1/secrets'],
    ['GET', `${beta}/pods/x/log`],
    ['POST', `${beta}/pods/x/eviction`, {}],
    ['POST', `${beta}/serviceaccounts/default/token`, { spec: {} }],
    ['GET', `/apis/apps/v1/namespaces/beta/deployments/x/scale`],
    ['PUT', `${beta}/finalize`, {}],
    ['GET', '/api/v1/nodes'],
    ['GET', '/api/v1/namespaces'],
  ]
  for (const [method, path, sent] of doors) {
    const { status, text } = await ann.send(method, path, sent)
    assert.ok(status === 403 || status === 404, `${method} ${path}: ${status} ${text}`)
    assert.ok(!text.includes(SECRET) && !text.includes('"hidden"},'), path)
  }
  for (const accept of [
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    'application/vnd.kubernetes.protobuf',
    'application/yaml',
  ]) {
    assert.equal(await ann.status('GET', `${beta}/secrets`, undefined, { accept }), 403, accept)
  }
  assert.equal(await cluster.admin.status('GET', `${beta}/secrets/hidden`), 200)
})

test('namespaces: a body cannot name another namespace', async (t) => {
  const cluster = await twoNamespaces(t)
  await cluster.allow('ann', 'alpha', [{ apiGroups: [''], resources: ['secrets'], verbs: ALL }])
  const ann = cluster.user('ann')
  const secrets = '/api/v1/namespaces/alpha/secrets'
  const elsewhere = { metadata: { name: 'mine', namespace: 'beta' } }
  assert.equal(await ann.status('POST', secrets, elsewhere), 400)
  assert.equal(await ann.status('POST', secrets, { metadata: { name: 'mine' } }), 201)
  assert.equal(await ann.status('PUT', `${secrets}/mine`, elsewhere), 400)
  assert.ok((await ann.status('PATCH merge', `${secrets}/mine`, elsewhere)) >= 400)
  assert.ok(
    (await ann.status('PATCH apply', `${secrets}/mine?fieldManager=x`, {
      apiVersion: 'v1',
      kind: 'Secret',
      ...elsewhere,
    })) >= 400,
  )
})

test('namespaces: resourceNames only allow requests by name', async (t) => {
  const cluster = await twoNamespaces(t)
  const secrets = '/api/v1/namespaces/beta/secrets'
  await cluster.create(secrets, { metadata: { name: 'open' }, data: { key: 'b3Blbg==' } })
  await cluster.allow('ann', 'beta', [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['open'], verbs: ALL }])
  const ann = cluster.user('ann')
  const byName = `${secrets}?fieldSelector=metadata.name%3Dopen`
  assert.equal(await ann.status('GET', `${secrets}/open`), 200)
  assert.equal(await ann.status('GET', byName), 200)
  assert.equal(await ann.status('GET', `${byName}&watch=1`), 200)

  const doors: [string, string, unknown?][] = [
    ['GET', secrets],
    ['GET', `${secrets}/hidden`],
    ['GET', `${secrets}?watch=1`],
    ['GET', `${secrets}?fieldSelector=metadata.name%3Dhidden`],
    ['GET', `${secrets}?fieldSelector=metadata.name%21%3Dopen`],
    ['GET', `${secrets}?fieldSelector=type%3DOpaque`],
    ['GET', `${secrets}?fieldSelector=metadata.namespace%21%3Dx%5C,metadata.name%3Dopen`],
    ['GET', `${secrets}?fieldSelector=metadata.namespace%21%3Dmetadata.name%3Dopen`],
    ['GET', `${secrets}?labelSelector=metadata.name%3Dopen`],
    ['GET', `${secrets}?fieldSelector=&fieldSelector=metadata.name%3Dopen`],
    ['GET', `/api/v1/secrets?fieldSelector=metadata.name%3Dopen`],
    ['POST', byName, { metadata: { name: 'more' } }],
    ['DELETE', secrets],
    ['DELETE', byName],
  ]
  for (const [method, path, sent] of doors) {
    const { status, text } = await ann.send(method, path, sent)
    assert.equal(status, 403, `${method} ${path}: ${text}`)
    assert.ok(!text.includes(SECRET))
  }
  // A watch of one object by its path shows that object, whatever the query.
  const { status, text } = await ann.send('GET', `${secrets}/open?watch=1`)
  assert.equal(status, 200)
  assert.ok(!text.includes(SECRET))
})

test('namespaces: owner references do not reach other namespaces', async (t) => {
  const cluster = await twoNamespaces(t)
  await cluster.allow('ann', 'alpha', [{ apiGroups: [''], resources: ['configmaps'], verbs: ALL }])
  const hidden = (await cluster.admin.send('GET', '/api/v1/namespaces/beta/secrets/hidden')).object
  const { uid } = hidden.metadata as { uid: string }
  const owner = { apiVersion: 'v1', kind: 'Secret', name: 'hidden', uid }
  const path = '/api/v1/namespaces/alpha/configmaps'
  const ann = cluster.user('ann')
  const { status, text } = await ann.send('POST', path, { metadata: { name: 'child', ownerReferences: [owner] } })
  assert.equal(status, 201)
  assert.ok(!text.includes(SECRET))
  await ann.send('DELETE', `${path}/child?propagationPolicy=Foreground`)
  assert.equal(await cluster.admin.status('GET', '/api/v1/namespaces/beta/secrets/hidden'), 200)
})
