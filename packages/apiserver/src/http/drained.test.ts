import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { get } from 'node:https'
import { PassThrough, type Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { listenFor } from '../testing/listening.fixture.js'
import { drained } from './drained.js'

const CHUNK = Buffer.alloc(512 * 1024, 'x')
const CHUNKS = 40

/** Starts a server with a long list, and collects the warnings of Node.js about listeners. */
async function serveList(t: TestContext) {
  const warnings: string[] = []
  const warned = (warning: Error) => warnings.push(warning.message)
  process.on('warning', warned)
  t.after(() => process.off('warning', warned))
  const { port } = await listenFor(t, {
    handle: (exchange) => void exchange.replyChunks(200, {}, Array(CHUNKS).fill(CHUNK)),
  })
  return { port, warnings }
}

async function lengthOf(body: Readable): Promise<number> {
  let length = 0
  for await (const chunk of body) length += chunk.length
  return length
}

test('drained: a long HTTP/2 response waits many times without more listeners', async (t) => {
  const { port, warnings } = await serveList(t)
  const session = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false })
  t.after(() => session.destroy())
  assert.equal(await lengthOf(session.request({ ':path': '/' })), CHUNKS * CHUNK.length)
  assert.deepEqual(warnings, [])
})

test('drained: a long HTTP/1.1 response of the server of Node.js does too', async (t) => {
  const { port, warnings } = await serveList(t)
  const headers = { expect: '100-continue' }
  const request = get({ port, rejectUnauthorized: false, agent: false, headers })
  const [response] = await once(request, 'response')
  assert.equal(await lengthOf(response), CHUNKS * CHUNK.length)
  assert.deepEqual(warnings, [])
})

test('drained: resolves for a stream that is destroyed before or meanwhile', async () => {
  const stream = new PassThrough()
  const waiting = drained(stream)
  stream.destroy()
  await waiting
  await drained(stream)
  assert.equal(stream.listenerCount('drain'), 0)
})
