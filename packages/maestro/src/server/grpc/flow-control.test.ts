import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { openGrpcPort } from './port.js'

const service = { publish: () => Promise.resolve(), subscribe: () => Promise.resolve() }

/** What a client may send on a new connection. */
async function windowOf(t: TestContext, userOf?: () => Promise<string>): Promise<number> {
  const { port, close } = await openGrpcPort({ service, host: '127.0.0.1', ...(userOf && { userOf }) })
  t.after(close)
  const session = connect(`http://127.0.0.1:${port}`)
  t.after(() => session.destroy())
  await once(session, 'connect')
  // The answer to a ping comes after all that the server sent before it.
  await new Promise<void>((resolve, reject) => {
    session.ping((error) => (error === null ? resolve() : reject(error)))
  })
  return session.state.remoteWindowSize ?? 0
}

test('openGrpcPort: takes many messages of a connection at once', async (t) => {
  assert.equal(await windowOf(t), 1024 * 1024)
})

test('openGrpcPort: takes no more than the first window of a connection without a certificate if callers authenticate', async (t) => {
  assert.equal(await windowOf(t, () => Promise.resolve('user')), 65_535)
})
