import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKubeconfig } from './parse.js'
import { KubeconfigError } from './types.js'

const YAML = `
apiVersion: v1
kind: Config
current-context: me@home
clusters:
- name: home
  cluster: {server: "https://home:6443", insecure-skip-tls-verify: true}
users:
- name: me
  user: {token: hush, as-groups: [a, b]}
contexts:
- name: me@home
  context: {cluster: home, user: me, namespace: work}
preferences: {}
`

test('parseKubeconfig: reads YAML and JSON alike', async () => {
  const fromYaml = await parseKubeconfig(YAML, '/k')
  const { parse } = await import('yaml')
  const fromJson = await parseKubeconfig(JSON.stringify(parse(YAML)), '/k')
  assert.deepEqual(fromYaml, fromJson)
  assert.equal(fromYaml.currentContext, 'me@home')
  assert.deepEqual(fromYaml.clusters.get('home')?.value, {
    server: 'https://home:6443',
    'insecure-skip-tls-verify': true,
  })
  assert.deepEqual(fromYaml.users.get('me')?.value, { token: 'hush', 'as-groups': ['a', 'b'] })
  assert.deepEqual(fromYaml.contexts.get('me@home'), {
    name: 'me@home',
    value: { cluster: 'home', user: 'me', namespace: 'work' },
    file: '/k',
  })
})

test('parseKubeconfig: an empty file and null lists are an empty kubeconfig', async () => {
  for (const text of ['', '# nothing\n', '{}', 'clusters: null\nusers: ~\ncontexts: []\ncurrent-context: ""\n']) {
    const { clusters, users, contexts, currentContext } = await parseKubeconfig(text)
    assert.deepEqual([clusters.size, users.size, contexts.size, currentContext], [0, 0, 0, undefined])
  }
})

test('parseKubeconfig: null fields count as absent', async () => {
  const { users } = await parseKubeconfig('users: [{name: a, user: {token: null, exec: null}}, {name: b, user: null}]')
  assert.deepEqual(users.get('a')?.value, {})
  assert.deepEqual(users.get('b')?.value, {})
})

const secret = 'c2VjcmV0LXRva2Vu'

const broken: readonly [why: string, text: string, message: string][] = [
  ['no YAML', `users:\n- name: a\n  user: {token: ${secret}\n`, '/k: neither YAML nor JSON at line'],
  ['a list', '- a', '/k: not a kubeconfig: the top level must be a map'],
  ['another kind', 'kind: Pod', '/k: not a kubeconfig: kind is "Pod", not "Config"'],
  ['another version', 'apiVersion: v2', '/k: apiVersion "v2" is not supported: use "v1"'],
  ['no list', 'clusters: {a: b}', '/k: clusters must be a list'],
  ['no name', 'users: [{user: {}}]', '/k: users: every item must have a name, in quotes if it is a number'],
  ['a number for a name', 'users: [{name: 1, user: {}}]', 'in quotes if it is a number'],
  ['no map', `users: [{name: a, user: ${secret}}]`, '/k: user "a": must be a map'],
  ['a number', 'users: [{name: a, user: {token: 12345}}]', '/k: user "a": token must be a string: put it in quotes'],
  [
    'text for a boolean',
    'clusters: [{name: c, cluster: {insecure-skip-tls-verify: "true"}}]',
    '/k: cluster "c": insecure-skip-tls-verify must be true or false, without quotes',
  ],
  [
    'PEM where base64 belongs',
    `users: [{name: a, user: {client-key-data: "-----BEGIN ${secret}"}}]`,
    '/k: user "a": client-key-data must be base64 on one line, as `base64 -w0` prints it',
  ],
  ['twice', 'users: [{name: a}, {name: a}]', '/k: user "a" exists twice: remove or rename one'],
  ['groups', 'users: [{name: a, user: {as: b, as-groups: [1]}}]', '/k: user "a": as-groups must be a list of strings'],
  [
    'extra',
    'users: [{name: a, user: {as: b, as-user-extra: {k: v}}}]',
    '/k: user "a": as-user-extra must be a map of lists of strings',
  ],
  ['args', 'users: [{name: a, user: {exec: {args: [1]}}}]', '/k: user "a": exec: args must be a list of strings'],
  ['env', 'users: [{name: a, user: {exec: {env: [{value: v}]}}}]', 'every item of env must have a name and a value'],
]

for (const [why, text, message] of broken) {
  test(`parseKubeconfig: reports the problem without the secret: ${why}`, async () => {
    await assert.rejects(parseKubeconfig(text, '/k'), (error: unknown) => {
      assert.ok(error instanceof KubeconfigError)
      assert.ok(error.message.includes(message), error.message)
      assert.ok(!String(error.stack).includes(secret))
      assert.equal(error.cause, undefined)
      return true
    })
  })
}

test('parseKubeconfig: limits the expansion of aliases', async () => {
  const lines = Array.from(
    { length: 20 },
    (_, i) => `x${i}: &x${i} [${i === 0 ? 'a' : `*x${i - 1}, *x${i - 1}, *x${i - 1}`}]`,
  )
  await assert.rejects(parseKubeconfig(lines.join('\n')), KubeconfigError)
})

test('parseKubeconfig: accepts __proto__ as a name', async () => {
  const { users } = await parseKubeconfig('{"users": [{"name": "__proto__", "user": {"token": "t"}}]}')
  assert.equal(users.get('__proto__')?.value.token, 't')
})
