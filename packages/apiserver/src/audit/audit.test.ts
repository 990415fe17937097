import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { notFound } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import { access, accessPath, identity } from '../authz/testing.fixture.js'
import { ANONYMOUS } from '../identity/identity.js'
import { AuditLog, type AuditLogOptions } from './audit-log.js'
import { type AuditedRequest, Auditor } from './auditor.js'
import { AuditPolicy } from './policy.js'

const alice = identity('alice', 'dev')
const clock: Clock = {
  now: () => new Date('2026-03-01T12:00:01.5Z'),
  elapsed: () => 0,
  after: () => () => undefined,
}

async function openLog(t: TestContext, options: Partial<AuditLogOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'audit-'))
  t.after(() => rm(directory, { recursive: true }))
  const path = join(directory, 'logs', 'audit.log')
  return { path, log: new AuditLog({ path, log: silentLogger, ...options }) }
}

function audited(request: AuditedRequest['access'], more: Partial<AuditedRequest> = {}): AuditedRequest {
  return {
    access: request,
    url: '/api/v1/namespaces/a/configmaps?fieldManager=kubectl',
    sourceIps: ['10.0.0.9'],
    userAgent: 'kubectl/v1.33',
    receivedAt: new Date('2026-03-01T12:00:00Z'),
    requestedId: undefined,
    ...more,
  }
}

const everything = AuditPolicy.parse('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]')

async function events(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('Auditor: writes an event for each stage with all attributes', async (t) => {
  const { path, log } = await openLog(t)
  const auditor = new Auditor(everything, log, clock)
  const record = auditor.begin(
    audited(access(alice, 'create', 'configmaps', { namespace: 'a' }), { requestedId: 'my-id' }),
  )!
  record.impersonatedAs(identity('bob'))
  record.authorized({ allowed: true, reason: 'RBAC: allowed by x' })
  record.named('settings')
  record.requestBody({ kind: 'ConfigMap', data: { a: 'b' } })
  record.responseBody({ kind: 'ConfigMap' })
  record.responseComplete(201)
  await log.close()
  const [received, complete] = await events(path)
  assert.equal(received?.stage, 'RequestReceived')
  assert.deepEqual(complete, {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'my-id',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/a/configmaps?fieldManager=kubectl',
    verb: 'create',
    user: { username: 'alice', groups: ['dev'] },
    impersonatedUser: { username: 'bob' },
    sourceIPs: ['10.0.0.9'],
    userAgent: 'kubectl/v1.33',
    objectRef: { resource: 'configmaps', namespace: 'a', name: 'settings', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { kind: 'ConfigMap', data: { a: 'b' } },
    responseObject: { kind: 'ConfigMap' },
    requestReceivedTimestamp: '2026-03-01T12:00:00.000000Z',
    stageTimestamp: '2026-03-01T12:00:01.500000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'RBAC: allowed by x' },
  })
})

test('Auditor: never writes bodies with credentials, whatever the policy', async (t) => {
  const { path, log } = await openLog(t)
  const auditor = new Auditor(everything, log, clock)
  for (const request of [
    access(alice, 'create', 'secrets', { namespace: 'a' }),
    access(alice, 'patch', 'secrets', { namespace: 'a', name: 's' }),
    access(alice, 'list', 'secrets'),
    access(alice, 'create', 'tokenreviews', { group: 'authentication.k8s.io' }),
    access(alice, 'create', 'serviceaccounts/token', { namespace: 'a', name: 'bot' }),
  ]) {
    const record = auditor.begin(audited(request))!
    assert.equal(record.wantsRequestBody || record.wantsResponseBody, false)
    record.requestBody({ data: 'hunter2' })
    record.responseBody({ data: 'hunter2' })
    record.responseComplete(422, {
      ...notFound({ group: '', resource: 'secrets' }, 'x').status,
      message: 'bad value "hunter2"',
    })
  }
  await log.close()
  const text = await readFile(path, 'utf8')
  assert.ok(!text.includes('hunter2'))
  assert.ok(text.includes('"code":422'))
})

test('Auditor: records streams, failures and panics', async (t) => {
  const { path, log } = await openLog(t)
  const auditor = new Auditor(AuditPolicy.metadataOnly(), log, clock)
  const watch = auditor.begin(audited(access(alice, 'watch', 'pods')))!
  watch.responseStarted(200)
  watch.responseComplete(200)
  const missing = auditor.begin(audited(access(alice, 'get', 'pods', { name: 'x' })))!
  missing.responseComplete(404, notFound({ group: '', resource: 'pods' }, 'x').status)
  auditor.begin(audited(accessPath(ANONYMOUS, 'get', '/version')))!.panic(new Error('boom'))
  await log.close()
  const written = await events(path)
  assert.deepEqual(
    written.map(({ stage }) => stage),
    ['ResponseStarted', 'ResponseComplete', 'ResponseComplete', 'Panic'],
  )
  assert.equal((written[2]!.responseStatus as { message: string }).message, 'pods "x" not found')
  assert.equal(written[3]?.objectRef, undefined)
})

test('Auditor: waits on close for requests that have not ended', async (t) => {
  const { path, log } = await openLog(t)
  const auditor = new Auditor(AuditPolicy.metadataOnly(), log, clock)
  const watches = ['pods', 'nodes'].map((resource) => auditor.begin(audited(access(alice, 'watch', resource)))!)
  const closing = auditor.close(60_000)
  // Later than the log needs to write everything.
  await log.flush()
  for (const watch of watches) {
    await new Promise(setImmediate)
    watch.responseComplete(200)
  }
  assert.equal(await closing, 0)
  const resources = (await events(path)).map(({ objectRef }) => (objectRef as { resource: string }).resource)
  assert.deepEqual(resources, ['pods', 'nodes'])
})

test('Auditor: returns the number of requests that did not end within the time limit', async (t) => {
  const { log } = await openLog(t)
  const auditor = new Auditor(AuditPolicy.metadataOnly(), log, clock)
  auditor.begin(audited(access(alice, 'watch', 'pods')))
  assert.equal(await auditor.close(0), 1)
})

test('Auditor: replaces an invalid audit ID', async (t) => {
  const { log } = await openLog(t)
  const auditor = new Auditor(everything, log, clock)
  const idFor = (requestedId: string) => auditor.begin(audited(access(alice, 'get', 'pods'), { requestedId }))!.id
  assert.equal(idFor('abc'), 'abc')
  assert.notEqual(idFor('a b\n'), 'a b\n')
  assert.notEqual(idFor('x'.repeat(65)), 'x'.repeat(65))
  await log.close()
})

test('AuditPolicy: applies the first matching rule', () => {
  const policy = AuditPolicy.parse(`
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: None
    users: [system:kube-proxy]
    verbs: [watch]
    resources: [{group: "", resources: [endpoints]}]
  - level: None
    nonResourceURLs: ["/healthz*", /version]
  - level: Request
    resources: [{group: "", resources: [pods/log, "*/status"]}]
    omitStages: [ResponseStarted]
  - level: RequestResponse
    namespaces: [kube-system]
    resources: [{group: apps, resources: ["deployments/*"], resourceNames: [web]}]
    omitManagedFields: false
  - level: Metadata
    userGroups: [dev]
`)
  const level = (request: Parameters<AuditPolicy['decide']>[0]) => policy.decide(request).level
  assert.equal(level(access(identity('system:kube-proxy'), 'watch', 'endpoints')), 'None')
  assert.equal(level(accessPath(alice, 'get', '/healthz/ping')), 'None')
  assert.equal(level(accessPath(alice, 'get', '/metrics')), 'Metadata')
  assert.equal(level(access(alice, 'get', 'pods/log')), 'Request')
  assert.equal(level(access(alice, 'get', 'nodes/status')), 'Request')
  assert.equal(level(access(alice, 'get', 'pods')), 'Metadata')
  const web = { group: 'apps', namespace: 'kube-system', name: 'web' }
  assert.equal(level(access(alice, 'get', 'deployments/scale', web)), 'RequestResponse')
  assert.equal(level(access(alice, 'get', 'deployments', web)), 'RequestResponse')
  assert.equal(level(access(alice, 'get', 'deployments', { ...web, name: 'api' })), 'Metadata')
  assert.equal(level(access(identity('bob'), 'get', 'pods')), 'None')
  const decision = policy.decide(access(alice, 'get', 'pods/log'))
  assert.deepEqual([...decision.omitStages], ['RequestReceived', 'ResponseStarted'])
  assert.equal(decision.omitManagedFields, true)
  assert.equal(policy.decide(access(alice, 'get', 'deployments', web)).omitManagedFields, false)
})

test('AuditPolicy: reports the place of an error', () => {
  const parse =
    (rules: string, head = 'apiVersion: audit.k8s.io/v1\nkind: Policy') =>
    () =>
      AuditPolicy.parse(`${head}\nrules: ${rules}`)
  assert.throws(parse('[]'), /0 rules/)
  assert.throws(parse('[{level: All}]'), /rules\[0\]\.level: Unsupported value: "All"/)
  assert.throws(parse('[{level: None}]', 'kind: Policy'), /audit\.k8s\.io\/v1/)
  assert.throws(parse('[{level: None, nonResourceURLs: [healthz]}]'), /must begin with a '\/'/)
  assert.throws(parse('[{level: None, nonResourceURLs: ["/a*b"]}]'), /must be the final character/)
  assert.throws(parse('[{level: None, nonResourceURLs: [/a], namespaces: [b]}]'), /cannot apply to both/)
  assert.throws(parse('[{level: None, omitStages: [Never]}]'), /allowed stages/)
  assert.throws(parse('[{level: None, users: admin}]'), /must be a list/)
  assert.throws(parse('[{level: None, resources: [{resourceNames: [a]}]}]'), /requires at least one resource/)
})

test('AuditLog: rotates files by size and removes the oldest', async (t) => {
  const { path, log } = await openLog(t, { maxBytes: 100, maxFiles: 2 })
  for (let i = 0; i < 5; i++) {
    log.write(`${String(i).repeat(120)}\n`)
    await log.flush()
  }
  await log.close()
  assert.deepEqual((await readdir(join(path, '..'))).sort(), ['audit.log', 'audit.log.1', 'audit.log.2'])
  assert.match(await readFile(path, 'utf8'), /^4/)
  assert.match(await readFile(`${path}.1`, 'utf8'), /^3/)
  assert.match(await readFile(`${path}.2`, 'utf8'), /^2/)
})

test('AuditLog: never blocks, keeps the order, and drops lines for a blocked disk', async (t) => {
  const { path, log } = await openLog(t, { maxBacklog: 1_000 })
  for (let i = 0; i < 300; i++) log.write(`line ${i}\n`)
  assert.ok(log.dropped > 0)
  await log.close()
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  assert.equal(lines.length + log.dropped, 300)
  assert.deepEqual(
    lines,
    lines.map((_, i) => `line ${i}`),
  )
})

test('AuditLog: loses lines, not requests, if it cannot be opened', async (t) => {
  const { path } = await openLog(t)
  const complaints: string[] = []
  const log = { ...silentLogger, error: (message: string) => complaints.push(message) }
  const broken = new AuditLog({ path: join('/dev/null', path), log })
  broken.write('x\n')
  await broken.close()
  assert.equal(broken.dropped, 1)
  assert.deepEqual(complaints, ['audit log cannot be written'])
})
