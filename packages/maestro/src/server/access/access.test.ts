import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PeerCertificate } from 'node:tls'
import { silentLogger } from '@orrery/kube/log'
import { RecentResults } from '@orrery/kube/serving'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { MaestroError } from '../errors.js'
import type { Caller } from './access.js'
import { checkedAccess, openAccess } from './checks.js'
import { callerOf, clusterOfAgent } from './identity.js'
import type { Reviewer } from './kubernetes.js'
import { parsePolicy } from './policy.js'
import { openPolicyFile } from './policy-file.js'

const AGENT: Caller = {
  user: 'system:open-cluster-management:c1:agent1',
  groups: ['system:open-cluster-management:c1', 'system:open-cluster-management:managed-clusters'],
}
const certificateOf = (subject: object) => ({ subject }) as unknown as PeerCertificate
const sha256 = (token: string) => createHash('sha256').update(token).digest('hex')
const isOfKind = (kind: string) => (error: unknown) => error instanceof MaestroError && error.kind === kind

const POLICY = parsePolicy({
  rules: [
    { users: ['adapter'], verbs: ['pub', 'sub'], paths: ['/sources/s1'] },
    { groups: ['viewers'], verbs: ['get'], paths: ['/api/maestro/*'] },
    { users: ['*'], verbs: ['sub'], paths: ['/clusters/*'] },
  ],
  tokens: [{ user: 'adapter', groups: ['viewers'], sha256: sha256('s3cret') }],
})
const access = checkedAccess({ policy: () => POLICY })

test('callerOf: reads the user and the groups of a certificate', () => {
  assert.deepEqual(callerOf(certificateOf({ CN: 'a', O: 'g' })), { user: 'a', groups: ['g'] })
  assert.deepEqual(callerOf(certificateOf({ CN: 'a', O: ['g', 'h'] })), { user: 'a', groups: ['g', 'h'] })
  assert.equal(callerOf(certificateOf({ O: 'g' })), undefined)
})

test('clusterOfAgent: knows the agents of Open Cluster Management by their user and group', () => {
  assert.equal(clusterOfAgent(AGENT), 'c1')
  assert.equal(clusterOfAgent({ ...AGENT, groups: ['system:open-cluster-management:c2'] }), undefined)
  const addOn = 'system:open-cluster-management:cluster:c1:addon:a:agent:b'
  assert.equal(clusterOfAgent({ user: addOn, groups: ['system:open-cluster-management:cluster'] }), undefined)
})

test('checkedAccess: refuses callers without credentials, and with a wrong token', async () => {
  await assert.rejects(access.authenticate({}), isOfKind('Unauthenticated'))
  await assert.rejects(access.authenticate({ authorization: 'Bearer wrong' }), isOfKind('Unauthenticated'))
  const certificate = certificateOf({ CN: 'a' })
  await assert.rejects(access.authenticate({ certificate, authorization: 'Basic x' }), isOfKind('Unauthenticated'))
})

test('checkedAccess: knows callers by certificate or token', async () => {
  assert.deepEqual(await access.authenticate({ certificate: certificateOf({ CN: 'a' }) }), { user: 'a', groups: [] })
  assert.deepEqual(await access.authenticate({ authorization: 'bearer s3cret' }), {
    user: 'adapter',
    groups: ['viewers'],
  })
})

test('checkedAccess: allows what the policy allows, by user and by group', async () => {
  const adapter = { user: 'adapter', groups: ['viewers'] }
  await access.authorize(adapter, 'pub', '/sources/s1')
  await access.authorize(adapter, 'get', '/api/maestro/v1/consumers')
  await assert.rejects(access.authorize(adapter, 'pub', '/sources/s2'), isOfKind('Forbidden'))
  await assert.rejects(access.authorize(adapter, 'delete', '/api/maestro/v1/consumers/1'), isOfKind('Forbidden'))
})

test('checkedAccess: agents act for their own cluster only, even if the policy allows more', async () => {
  await access.authorize(AGENT, 'pub', '/clusters/c1')
  await access.authorize(AGENT, 'sub', '/clusters/c1')
  await access.authorize({ user: 'someone', groups: [] }, 'sub', '/clusters/c2')
  await assert.rejects(access.authorize(AGENT, 'sub', '/clusters/c2'), /agents act for their own cluster only/)
  await assert.rejects(access.authorize(AGENT, 'pub', '/sources/s1'), isOfKind('Forbidden'))
  await assert.rejects(access.authorize(AGENT, 'get', '/api/maestro/v1/consumers'), isOfKind('Forbidden'))
})

test('checkedAccess: asks the reviewer for what the policy does not allow', async () => {
  const asked: string[] = []
  const reviewer: Reviewer = {
    callerOfToken: async (header) => (header === 'Bearer t' ? { user: 'sa', groups: [] } : undefined),
    async mayAccess({ user }, verb, path) {
      asked.push(`${user} ${verb} ${path}`)
      return path === '/sources/s9'
    },
    reviewedPath: (path) => path.replace('/api', ''),
    isRegistered: () => assert.fail('not asked'),
  }
  const both = checkedAccess({ reviewer, policy: () => POLICY })
  const caller = await both.authenticate({ authorization: 'Bearer t' })
  await both.authorize(caller, 'pub', '/sources/s9')
  await assert.rejects(both.authorize(caller, 'pub', '/sources/s8'), isOfKind('Forbidden'))
  await both.authorize({ user: 'adapter', groups: [] }, 'pub', '/sources/s1')
  assert.deepEqual(asked, ['sa pub /sources/s9', 'sa pub /sources/s8'])
})

test('checkedAccess: asks the reviewer nothing about a path that is too long', async () => {
  const asked: string[] = []
  const reviewer: Reviewer = {
    callerOfToken: async () => undefined,
    mayAccess: async (_, __, path) => asked.push(path) > 0,
    reviewedPath: (path) => path.replace('/api', ''),
    isRegistered: () => assert.fail('not asked'),
  }
  const reviewed = checkedAccess({ reviewer })
  const refusal = reviewed.authorize({ user: 'sa', groups: [] }, 'pub', `/sources/${'x'.repeat(1_000_000)}`)
  await assert.rejects(refusal, (error: Error) => isOfKind('Forbidden')(error) && error.message.length < 1_000)
  assert.deepEqual(asked, [])
})

test('checkedAccess: accepts only agents that are registered, if it has to', async () => {
  const reviewer: Reviewer = {
    callerOfToken: async () => undefined,
    mayAccess: async () => false,
    reviewedPath: (path) => path.replace('/api', ''),
    isRegistered: async ({ user }, cluster) => user.endsWith(':agent1') && cluster === 'c1',
  }
  const registered = checkedAccess({ reviewer, registeredAgentsOnly: true })
  await registered.authorize(AGENT, 'sub', '/clusters/c1')
  const earlier = { ...AGENT, user: AGENT.user.replace('agent1', 'agent0') }
  await assert.rejects(registered.authorize(earlier, 'sub', '/clusters/c1'), /the agent is not registered on the hub/)
  await checkedAccess({ reviewer }).authorize(earlier, 'sub', '/clusters/c1')
})

test('checkedAccess: names the path of a rule that would allow a request, and what to do instead of changing consumers', async () => {
  const reviewer: Reviewer = {
    callerOfToken: async () => undefined,
    mayAccess: async () => false,
    reviewedPath: (path) => path.replace('/api', ''),
    isRegistered: async () => false,
  }
  const path = '/api/maestro/v1/consumers'
  const messageOf = (verb: string, at = path, hint?: string) =>
    checkedAccess({ reviewer, ...(hint !== undefined && { unchanged: { path, hint } }) })
      .authorize({ user: 'u', groups: [] }, verb, at)
      .then(
        () => assert.fail(),
        (error: MaestroError) => error.reason,
      )
  const refused = `User "u" cannot post path "${path}": `
  const rule = 'a ClusterRole that allows it has the nonResourceURL "/maestro/v1/consumers" and the verb "post"'
  assert.equal(await messageOf('post'), refused + rule)
  assert.equal(await messageOf('post', path, 'join a cluster'), `${refused}join a cluster`)
  assert.match(await messageOf('get', path, 'join a cluster'), /nonResourceURL/)
  assert.match(await messageOf('delete', `${path}/1`, 'join a cluster'), /: join a cluster$/)
  assert.equal(await messageOf('pub', '/sources/s', 'join a cluster'), 'User "u" cannot pub path "/sources/s"')
})

test('openAccess: allows everyone', async () => {
  await openAccess.authorize(await openAccess.authenticate({}), 'pub', '/sources/s1')
})

test('parsePolicy: names the member that is wrong and what it must be', () => {
  const cases: [unknown, RegExp][] = [
    [[], /the policy must be an object/],
    [{ rule: [] }, /no member "rule": use rules, tokens/],
    [{ rules: {} }, /rules must be a list/],
    [{ rules: [{ verbs: ['pub'], paths: ['/a'] }] }, /rules\[0\] needs users or groups/],
    [{ rules: [{ users: ['a'], paths: ['/a'] }] }, /rules\[0\]\.verbs is empty/],
    [{ rules: [{ users: ['a'], verbs: ['pub'] }] }, /rules\[0\]\.paths is empty/],
    [{ rules: [{ users: ['a'], verbs: ['pub'], paths: ['a'] }] }, /"a" must begin with "\/"/],
    [{ rules: [{ users: [1], verbs: ['pub'], paths: ['/a'] }] }, /rules\[0\]\.users must be a text/],
    [{ tokens: [{ user: 'a', sha256: 'abc' }] }, /tokens\[0\]\.sha256 must be the SHA-256/],
  ]
  for (const [value, problem] of cases) assert.throws(() => parsePolicy(value), problem)
})

test('openPolicyFile: reads a new version, and keeps the last valid one', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'policy-'))
  t.after(() => rm(directory, { recursive: true }))
  const path = join(directory, 'policy.yaml')
  const write = async (text: string) => {
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  await write('rules: [{ users: [a], verbs: [pub], paths: [/sources/a] }]')
  const warnings: unknown[] = []
  const file = await openPolicyFile(path, { ...silentLogger, warn: (_, fields) => void warnings.push(fields) })
  t.after(() => file.close())
  assert.equal(file.current.rules[0]?.users[0], 'a')
  await write('rules: [{ users: [b], verbs: [pub], paths: [/sources/a] }]')
  await eventually('the new policy', () => file.current.rules[0]?.users[0] === 'b')
  await write('rules: 1')
  await eventually('the warning', () => JSON.stringify(warnings).includes('rules must be a list'))
  assert.equal(file.current.rules[0]?.users[0], 'b')
  await assert.rejects(openPolicyFile(join(directory, 'missing'), silentLogger), /missing: ENOENT/)
})

test('RecentResults: shares calls, forgets results after their time, and does not keep failures', async () => {
  const clock = new FakeClock()
  let calls = 0
  const results = new RecentResults<number>(clock, () => 1_000, 2)
  const next = () => Promise.resolve(++calls)
  assert.deepEqual(await Promise.all([results.get('a', next), results.get('a', next)]), [1, 1])
  clock.advance(999)
  assert.equal(await results.get('a', next), 1)
  clock.advance(1)
  assert.equal(await results.get('a', next), 2)
  await assert.rejects(results.get('b', () => Promise.reject(new Error('down'))))
  assert.equal(await results.get('b', next), 3)
  await results.get('c', next)
  assert.equal(await results.get('a', next), 5)
})
