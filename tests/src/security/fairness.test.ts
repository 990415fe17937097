import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import test, { after, before, type TestContext } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { Client } from '../support/client.js'
import { type ServerProcess, startServer } from '../support/server.js'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const ACCOUNT_TOKEN = '/api/v1/namespaces/default/serviceaccounts/default/token'
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

const OBJECTS = 3000
let server: ServerProcess
const cleanUp: (() => unknown)[] = []
before(async () => {
  server = await startServer({ after: (step) => void cleanUp.push(step as () => unknown) })
  const client = new Client(server)
  const names = Array.from({ length: OBJECTS }, (_, index) => `one-${index}`)
  await Promise.all(names.map((name) => client.ok('POST', CONFIG_MAPS, { metadata: { name, labels: { app: name } } })))
  client.close()
})
after(async () => {
  for (const step of cleanUp) await step()
})

function clientOf(t: TestContext): Client {
  const client = new Client(server)
  t.after(() => client.close())
  return client
}

/** A connection of the administrator, or of a client with a token. */
async function openSession(t: TestContext, hasToken = false) {
  const session = connect(server.url, hasToken ? { ca: server.credentials.ca } : server.credentials)
  t.after(() => session.destroy())
  await once(session, 'connect')
  return session
}

test('fairness: health is answered while many watches read a large initial state', async (t) => {
  const health = await openSession(t)
  const watching = await openSession(t)
  const WATCHES = 400
  let begun = 0
  for (let index = 0; index < WATCHES; index++) {
    const selector = encodeURIComponent(`app in (one-${OBJECTS - 1},none-${index})`)
    const stream = watching.request({ ':path': `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=${selector}` })
    stream.on('error', () => undefined)
    stream.once('data', () => begun++)
  }
  await eventually('a watch has begun', () => begun > 0)
  const livez = health.request({ ':path': '/livez' })
  const [headers] = (await once(livez, 'response')) as [{ ':status': number }]
  assert.equal(headers[':status'], 200)
  assert.ok(begun < WATCHES / 4, `${begun} of ${WATCHES} watches had their initial state before health was answered`)
  await eventually('every watch gets its object', () => begun === WATCHES)
})

/** A session of a service account, which is created for it. */
async function openAccount(t: TestContext, client: Client, name: string) {
  const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
  await client.ok('POST', ACCOUNTS, { metadata: { name } })
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const { token } = (await client.ok('POST', `${ACCOUNTS}/${name}/token`, asked)).status as { token: string }
  return { session: await openSession(t, true), headers: { authorization: `Bearer ${token}` } }
}

async function allowReading(client: Client, ...accounts: string[]) {
  await client.ok('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    metadata: { name: 'readers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: accounts.map((name) => ({ kind: 'ServiceAccount', namespace: 'default', name })),
  })
}

test('fairness: many watches with a selector all start, and another user reads an object meanwhile', async (t) => {
  const client = clientOf(t)
  await allowReading(client, 'greedy', 'modest')
  const { headers: greedy } = await openAccount(t, client, 'greedy')
  const modest = await openAccount(t, client, 'modest')
  const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(t, true)))
  const WATCHES = 1000
  const answers: number[] = []
  let begun = 0
  for (let index = 0; index < WATCHES; index++) {
    const path = `${CONFIG_MAPS}?watch=1&labelSelector=app%3Done-${index}`
    const stream = sessions[index % sessions.length]?.request({ ':path': path, ...greedy })
    stream?.on('error', () => undefined).once('data', () => begun++)
    stream?.once('response', (headers) => answers.push(Number(headers[':status'])))
  }
  // Answered after everything before it has been read.
  await Promise.all(sessions.map((session) => new Promise((resolve) => session.ping(resolve))))
  const stream = modest.session.request({ ':path': `${CONFIG_MAPS}/one-0`, ...modest.headers })
  const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
  assert.equal(headers[':status'], 200)
  await eventually('every watch gets its object', () => begun === WATCHES)
  assert.deepEqual([...new Set(answers)], [200])
})

/** Posts large reviews on six connections, one after the other on each, until it is stopped. */
function postReviews(t: TestContext, token: string) {
  const junk = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, 0]))
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods' }, junk }
  const text = Buffer.from(
    JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }),
  )
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': text.length,
  }
  const counter = { answered: 0, isOver: false }
  const agent = new Agent({ keepAlive: true, maxSockets: 6, ca: server.credentials.ca })
  t.after(() => agent.destroy())
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(new URL(REVIEWS, server.url), { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', resolve)
        if (response.statusCode !== 201) reject(new Error(`a review was answered ${response.statusCode}`))
      })
      outgoing.on('error', reject).end(text)
    })
  const posters = Array.from({ length: 6 }, async () => {
    for (; !counter.isOver; counter.answered++) await post()
  })
  return { counter, stopped: Promise.all(posters) }
}

test("fairness: an administrator's request does not wait for large requests of others", async (t) => {
  const client = clientOf(t)
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const { token } = (await client.ok('POST', ACCOUNT_TOKEN, asked)).status as { token: string }
  const { counter, stopped } = postReviews(t, token)
  await eventually('reviews are answered', () => counter.answered >= 6)
  const overtaken: number[] = []
  for (let index = 0; index < 15; index++) {
    const before = counter.answered
    await client.ok('GET', '/api/v1/namespaces/default')
    overtaken.push(counter.answered - before)
  }
  counter.isOver = true
  await stopped
  overtaken.sort((one, other) => one - other)
  assert.ok((overtaken[7] ?? 0) <= 2, `reviews that were answered before each of the requests: ${overtaken}`)
})

test('fairness: requests with endless bodies take no seats from others', async (t) => {
  const client = clientOf(t)
  const open = async (name: string) => {
    const { session, headers } = await openAccount(t, client, name)
    return { session, headers: { ':method': 'POST', ':path': REVIEWS, ...headers } }
  }
  const greedy = await open('endless')
  for (let index = 0; index < 900; index++) {
    const stream = greedy.session.request(greedy.headers, { endStream: false })
    stream.on('error', () => undefined)
    stream.write('{')
  }
  // Answered after everything before it has been read.
  await new Promise((resolve) => greedy.session.ping(resolve))
  const modest = await open('brief')
  const stream = modest.session.request(modest.headers)
  stream.end(JSON.stringify({ spec: { nonResourceAttributes: { path: '/', verb: 'get' } } }))
  const [answer] = await once(stream, 'response')
  assert.equal(answer[':status'], 201)
})
