import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import test, { type TestContext } from 'node:test'
import { Client, eventually } from '../support/client.js'
import { type ServerProcess, startServer } from '../support/server.js'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const ACCOUNT_TOKEN = '/api/v1/namespaces/default/serviceaccounts/default/token'
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

function clientOf(t: TestContext, server: ServerProcess): Client {
  const client = new Client(server)
  t.after(() => client.close())
  return client
}

async function openSession(t: TestContext, server: ServerProcess) {
  const session = connect(server.url, server.credentials)
  t.after(() => session.destroy())
  await once(session, 'connect')
  return session
}

test('fairness: health is answered while many watches read a large initial state', async (t) => {
  const server = await startServer(t)
  const client = clientOf(t, server)
  const names = Array.from({ length: 3000 }, (_, index) => `one-${index}`)
  await Promise.all(names.map((name) => client.ok('POST', CONFIG_MAPS, { metadata: { name, labels: { app: name } } })))
  const health = await openSession(t, server)
  const watching = await openSession(t, server)
  const WATCHES = 400
  let begun = 0
  for (let index = 0; index < WATCHES; index++) {
    const selector = encodeURIComponent(`app in (one-2999,none-${index})`)
    const stream = watching.request({ ':path': `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=${selector}` })
    stream.on('error', () => undefined)
    stream.once('data', () => begun++)
  }
  const livez = health.request({ ':path': '/livez' })
  const [headers] = (await once(livez, 'response')) as [{ ':status': number }]
  assert.equal(headers[':status'], 200)
  assert.ok(begun < WATCHES / 2, `${begun} of ${WATCHES} watches had their initial state before health was answered`)
  await eventually('every watch gets its object', () => begun === WATCHES, 60)
})

/** Posts large reviews on six connections, one after the other on each, until it is stopped. */
function postReviews(server: ServerProcess, token: string) {
  const attributes = {
    verb: 'get',
    resource: 'pods',
    junk: Array.from({ length: 180_000 }, (_, index) => ({ a: index })),
  }
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: attributes },
  }
  const text = Buffer.from(JSON.stringify(body))
  const counter = { answered: 0, isOver: false }
  const posters = Array.from({ length: 6 }, async () => {
    const session = connect(server.url, { ca: server.credentials.ca })
    session.on('error', () => undefined)
    while (!counter.isOver) {
      const stream = session.request({
        ':method': 'POST',
        ':path': REVIEWS,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      })
      stream.end(text)
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
      assert.ok([201, 429].includes(headers[':status']), `a review was answered ${headers[':status']}`)
      await once(stream.resume(), 'close')
      counter.answered++
    }
    session.close()
  })
  return { counter, stopped: Promise.all(posters) }
}

test("fairness: an administrator's request does not wait for the large requests of others", async (t) => {
  const server = await startServer(t)
  const client = clientOf(t, server)
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const { token } = (await client.ok('POST', ACCOUNT_TOKEN, request)).status as { token: string }
  const { counter, stopped } = postReviews(server, token)
  await eventually('reviews are answered', () => counter.answered >= 6, 60)
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
