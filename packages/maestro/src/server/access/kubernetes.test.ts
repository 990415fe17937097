import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeClient } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { MaestroError } from '../errors.js'
import { kubernetesReviewer } from './kubernetes.js'

/** A client of an API server that knows one token and allows one path. */
function reviewingClient(reviews: string[], isUp = () => true): KubeClient {
  return new KubeClient({
    async request({ path, body }) {
      if (!isUp()) throw new Error('connection refused')
      const review = JSON.parse(String(body)) as { spec: Record<string, unknown> }
      reviews.push(`${path.split('/').at(-1)} ${JSON.stringify(review.spec)}`)
      const { token, nonResourceAttributes } = review.spec as {
        token?: string
        nonResourceAttributes?: { path: string }
      }
      const status =
        token === undefined
          ? { allowed: nonResourceAttributes?.path === '/sources/s1' }
          : token === 'good'
            ? { authenticated: true, user: { username: 'sa', groups: ['g'] } }
            : { authenticated: false }
      const bytes = Buffer.from(JSON.stringify({ ...review, status }))
      return {
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield bytes
        })(),
        bytes: () => Promise.resolve(bytes),
      }
    },
  })
}

test('kubernetesReviewer: reviews a token once in ten seconds', async () => {
  const reviews: string[] = []
  const clock = new FakeClock()
  const reviewer = kubernetesReviewer(reviewingClient(reviews), clock)
  assert.deepEqual(await reviewer.callerOfToken('Bearer good'), { user: 'sa', groups: ['g'] })
  await reviewer.callerOfToken('Bearer good')
  assert.equal(reviews.length, 1)
  clock.advance(10_000)
  await reviewer.callerOfToken('Bearer good')
  assert.equal(reviews.length, 2)
})

test('kubernetesReviewer: knows no caller for a token that is not valid, and for another scheme', async () => {
  const reviewer = kubernetesReviewer(reviewingClient([]), new FakeClock())
  assert.equal(await reviewer.callerOfToken('Bearer bad'), undefined)
  assert.equal(await reviewer.callerOfToken('Basic good'), undefined)
})

test('kubernetesReviewer: asks for the verb and the path of a caller', async () => {
  const reviews: string[] = []
  const reviewer = kubernetesReviewer(reviewingClient(reviews), new FakeClock())
  const caller = { user: 'sa', groups: ['g'] }
  assert.equal(await reviewer.mayAccess(caller, 'pub', '/sources/s1'), true)
  assert.equal(await reviewer.mayAccess(caller, 'pub', '/sources/s2'), false)
  assert.equal(await reviewer.mayAccess(caller, 'pub', '/sources/s1'), true)
  assert.equal(reviews.length, 2)
  assert.match(reviews[0] ?? '', /^subjectaccessreviews .*"user":"sa".*"groups":\["g"\].*"verb":"pub"/)
})

test('kubernetesReviewer: asks for REST paths where Kubernetes does not let every user read', async () => {
  const reviews: string[] = []
  const reviewer = kubernetesReviewer(reviewingClient(reviews), new FakeClock())
  await reviewer.mayAccess({ user: 'sa', groups: ['system:authenticated'] }, 'get', '/api/maestro/v1/resource-bundles')
  assert.match(reviews[0] ?? '', /"path":"\/maestro\/v1\/resource-bundles"/)
})

test('kubernetesReviewer: an API server that is down is no refusal, and is asked again', async () => {
  let isUp = false
  const reviewer = kubernetesReviewer(
    reviewingClient([], () => isUp),
    new FakeClock(),
  )
  const unavailable = (api: string) => (error: unknown) =>
    error instanceof MaestroError &&
    error.kind === 'Unavailable' &&
    error.reason === `the ${api} API of Kubernetes did not answer: try again`
  await assert.rejects(reviewer.callerOfToken('Bearer good'), unavailable('TokenReview'))
  await assert.rejects(
    reviewer.mayAccess({ user: 'sa', groups: [] }, 'pub', '/sources/s1'),
    unavailable('SubjectAccessReview'),
  )
  isUp = true
  assert.equal((await reviewer.callerOfToken('Bearer good'))?.user, 'sa')
})
