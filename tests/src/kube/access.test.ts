import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { ConfigMap, Namespace, ServiceAccount } from '@orrery/kinds'
import { isUnauthorized } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import {
  type ClientConfig,
  clientConfigOf,
  defaultSource,
  kubeconfigOf,
  mergeIntoKubeconfig,
  parseKubeconfig,
  writeKubeconfig,
} from '@orrery/kube/kubeconfig'
import { loadAuthority } from '@orrery/kube/pki'
import type { ConnectOptions } from '@orrery/kube/transport'
import { type Issued, issue } from '../support/certificates.js'
import { temporaryDirectory } from '../support/server.js'

const HOUR = 3_600_000

let server: ApiServer
let admin: ClientConfig
let authority: ReturnType<typeof loadAuthority>

before(async () => {
  server = await startApiServer()
  admin = clientConfigOf(await parseKubeconfig(await server.kubeconfig()))
  const pki = (name: string) => readFile(join(server.dataDirectory, 'pki', name), 'utf8')
  authority = loadAuthority(await pki('ca.crt'), await pki('ca.key'))
})

after(() => server.close())

/** The address of the server, without credentials. */
const place = (): ClientConfig => ({ server: server.url, certificateAuthority: { text: server.certificateAuthority } })

async function client(
  t: TestContext,
  config: ClientConfig | string,
  options: ConnectOptions = {},
): Promise<KubeClient> {
  const made = await clientFrom(config, { environment: {}, ...options })
  t.after(() => made.close())
  return made
}

interface UserInfo {
  readonly username: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The identity of a client on the server. */
async function whoAmI(asking: KubeClient): Promise<UserInfo> {
  const response = await asking.raw({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  })
  const review = JSON.parse(String(await response.bytes())) as { status: { userInfo: UserInfo } }
  assert.equal(response.status, 201, JSON.stringify(review))
  return review.status.userInfo
}

function certificateFor(name: string, groups: readonly string[] = []): Issued {
  return issue(authority.issuer, { name, groups })
}

async function tokenFor(t: TestContext, name: string): Promise<string> {
  const administrator = await client(t, admin)
  await administrator.apply(ServiceAccount, { metadata: { namespace: 'default', name } }, { fieldManager: 'test' })
  const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`
  const response = await administrator.raw({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  })
  return (JSON.parse(String(await response.bytes())) as { status: { token: string } }).status.token
}

test("clientFrom: uses the server's kubeconfig", async (t) => {
  const path = join(await temporaryDirectory(t), 'kubeconfig')
  await writeFile(path, await server.kubeconfig())
  const { groups } = await whoAmI(await client(t, path))
  assert.ok(groups?.includes('system:masters'))
})

test('clientFrom: is anonymous without credentials', async (t) => {
  const anonymous = await client(t, place())
  assert.equal((await anonymous.raw({ method: 'GET', path: '/version' })).status, 200)
  const stranger = await client(t, { ...place(), token: 'made-up' })
  await assert.rejects(stranger.get(Namespace, { name: 'default' }), isUnauthorized)
})

test('clientFrom: uses a certificate, inline and from files', async (t) => {
  const { cert, key } = certificateFor('jane', ['dev', 'ops'])
  const inline = { ...place(), clientCertificate: { text: cert }, clientKey: { text: key } }
  const { username, groups } = await whoAmI(await client(t, inline))
  assert.deepEqual([username, groups], ['jane', ['dev', 'ops', 'system:authenticated']])
  const directory = await temporaryDirectory(t)
  const file = (name: string) => ({ file: join(directory, name) })
  await writeFile(join(directory, 'crt'), cert)
  await writeFile(join(directory, 'key'), key)
  await writeFile(join(directory, 'ca'), server.certificateAuthority)
  const config = {
    ...place(),
    certificateAuthority: file('ca'),
    clientCertificate: file('crt'),
    clientKey: file('key'),
  }
  assert.equal((await whoAmI(await client(t, config))).username, 'jane')
})

test('clientFrom: uses a token, inline and from a file', async (t) => {
  const token = await tokenFor(t, 'robot')
  const name = 'system:serviceaccount:default:robot'
  assert.equal((await whoAmI(await client(t, { ...place(), token }))).username, name)
  const tokenFile = join(await temporaryDirectory(t), 'token')
  await writeFile(tokenFile, `${token}\n`)
  assert.equal((await whoAmI(await client(t, { ...place(), tokenFile, token: 'old' }))).username, name)
})

test('clientFrom: reads a rotated token file when the old token is rejected', async (t) => {
  const tokenFile = join(await temporaryDirectory(t), 'token')
  await writeFile(tokenFile, await tokenFor(t, 'leaver'))
  const robot = await client(t, { ...place(), tokenFile }, { checkInterval: HOUR })
  await whoAmI(robot)
  const administrator = await client(t, admin)
  await administrator.delete(ServiceAccount, { namespace: 'default', name: 'leaver' })
  await writeFile(tokenFile, await tokenFor(t, 'successor'))
  assert.equal((await whoAmI(robot)).username, 'system:serviceaccount:default:successor')
})

test('clientFrom: uses a pod’s service account', async (t) => {
  const directory = await temporaryDirectory(t)
  await writeFile(join(directory, 'token'), await tokenFor(t, 'pod'))
  await writeFile(join(directory, 'ca.crt'), server.certificateAuthority)
  await writeFile(join(directory, 'namespace'), 'work')
  const { hostname, port } = new URL(server.url)
  const environment = { HOME: directory, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
  const source = defaultSource({ environment, directory })
  assert.equal((await source.read()).namespace, 'work')
  const pod = await clientFrom(source, { environment })
  t.after(() => pod.close())
  assert.equal((await whoAmI(pod)).username, 'system:serviceaccount:default:pod')
})

test('clientFrom: impersonates a user, with groups and extras', async (t) => {
  const impersonate = { user: 'jane', groups: ['a', 'b'], extra: { 'example.com/Why % not': ['x', 'y'] } }
  const { username, groups, extra } = await whoAmI(await client(t, { ...admin, impersonate }))
  assert.deepEqual([username, groups], ['jane', ['a', 'b', 'system:authenticated']])
  assert.deepEqual(extra, { 'example.com/why % not': ['x', 'y'] })
})

const PROGRAM = `
const { readFileSync } = require('node:fs')
const { cluster } = JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec
if (!cluster.server.startsWith('https://')) process.exit(1)
process.stdout.write(readFileSync(cluster.config.file))
`

test('clientFrom: uses an exec plugin: a certificate at first, then a token', async (t) => {
  const apiVersion = 'client.authentication.k8s.io/v1beta1'
  const file = join(await temporaryDirectory(t), 'credential')
  const print = (status: object) => writeFile(file, JSON.stringify({ apiVersion, kind: 'ExecCredential', status }))
  const { cert, key } = certificateFor('joe')
  const expirationTimestamp = new Date(Date.now() - 1_000).toISOString()
  await print({ clientCertificateData: cert, clientKeyData: key, expirationTimestamp })
  const exec = { apiVersion, command: process.execPath, args: ['-e', PROGRAM], provideClusterInfo: true }
  const config: ClientConfig = { ...place(), exec: { ...exec, interactiveMode: 'Never' }, execClusterConfig: { file } }
  const asking = await client(t, config)
  assert.equal((await whoAmI(asking)).username, 'joe')
  await print({ token: await tokenFor(t, 'robot') })
  assert.equal((await whoAmI(asking)).username, 'system:serviceaccount:default:robot')
})

test('clientFrom: uses a merged kubeconfig', async (t) => {
  const path = join(await temporaryDirectory(t), '.kube', 'config')
  await writeKubeconfig(path, kubeconfigOf({ server: 'https://elsewhere' }, { name: 'elsewhere' }))
  await mergeIntoKubeconfig(path, kubeconfigOf({ ...admin, namespace: 'work' }, { name: 'here' }))
  assert.ok((await whoAmI(await client(t, path))).groups?.includes('system:masters'))
})

test('clientFrom: certificates, keys and tokens rotate under load without a failed request', async (t) => {
  const directory = await temporaryDirectory(t)
  const file = (name: string) => join(directory, name)
  const rotate = async (name: string) => {
    const { cert, key } = certificateFor(name, ['system:masters'])
    await writeFile(file('crt'), cert)
    await writeFile(file('key'), key)
  }
  await rotate('first')
  const config: ClientConfig = {
    ...place(),
    clientCertificate: { file: file('crt') },
    clientKey: { file: file('key') },
  }
  const asking = await client(t, config, { checkInterval: 1, retry: false })
  const seen = new Set([(await whoAmI(asking)).username])
  const ending = new AbortController()
  const events: string[] = []
  let isWatching = true
  const watching = (async () => {
    const options = { namespace: 'default', resourceVersion: '0', signal: ending.signal }
    for await (const { type, object } of asking.watch(ConfigMap, options))
      events.push(`${type} ${object.metadata.name}`)
    isWatching = false
  })()
  let isDone = false
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let count = 0; !isDone; count++) {
      seen.add((await whoAmI(asking)).username)
      await asking.create(ConfigMap, { metadata: { namespace: 'default', name: `load-${worker}-${count}` } })
    }
  })
  for (const name of ['second', 'third', 'fourth', 'fifth']) {
    await rotate(name)
    while (!seen.has(name)) await new Promise(setImmediate)
  }
  isDone = true
  await Promise.all(workers)
  const { items } = await asking.list(ConfigMap, { namespace: 'default' })
  const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('load-'))
  while (!names.every((name) => events.includes(`ADDED ${name}`))) await new Promise(setImmediate)
  assert.ok(isWatching, 'the watch went on under its first identity')
  ending.abort()
  await watching
})
