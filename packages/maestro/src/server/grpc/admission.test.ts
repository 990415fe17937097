import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { GrpcCode, MaestroError } from '../errors.js'
import { embeddedDatabases } from '../testing/databases.fixture.js'
import { spec, startServer } from '../testing/server.fixture.js'

const MESSAGE_BYTES = 1_000_000

const openEmbedded = embeddedDatabases()

async function start(t: TestContext, isKnown: () => boolean) {
  const database = await openEmbedded()
  const access = {
    authenticate: async () => {
      if (isKnown()) return { user: 'someone', groups: [] }
      throw new MaestroError('Unauthenticated')
    },
    authorize: async () => undefined,
  }
  const server = await startServer(t, { database, access })
  t.after(() => database.close())
  await server.core.consumers.create({ name: 'c1' })
  return server
}

/** Calls that send all of their message but the last byte. */
function unfinished(t: TestContext, port: number, count: number) {
  const session = connect(`http://localhost:${port}`)
  session.on('error', () => undefined)
  t.after(() => session.destroy())
  const calls = Array.from({ length: count }, () => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/io.cloudevents.v1.CloudEventService/Publish',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const header = Buffer.alloc(5)
    header.writeUInt32BE(MESSAGE_BYTES, 1)
    let isSent = false
    stream.write(Buffer.concat([header, Buffer.alloc(MESSAGE_BYTES - 1)]), () => {
      isSent = true
    })
    stream.on('error', () => undefined)
    const code = new Promise<string>((resolve) => {
      stream.on(
        'response',
        (headers) => headers['grpc-status'] !== undefined && resolve(String(headers['grpc-status'])),
      )
      stream.on('trailers', (headers) => resolve(String(headers['grpc-status'])))
    })
    stream.resume()
    return { code, isSent: () => isSent }
  })
  return { calls, end: () => session.destroy() }
}

test('admission: a caller that is not known is refused without its message', async (t) => {
  const { ports, source } = await start(t, () => false)
  const { calls } = unfinished(t, ports.sources, 1)
  assert.equal(await calls[0]?.code, String(GrpcCode.unauthenticated))
  await assert.rejects(source.publish(spec('create', { id: 'b1' })), { code: GrpcCode.unauthenticated })
})

test('admission: a few messages of one user are read at a time, so that those that never end do not fill the memory', async (t) => {
  const { ports, source } = await start(t, () => true)
  const { calls, end } = unfinished(t, ports.sources, 40)
  const sent = () => calls.filter(({ isSent }) => isSent()).length
  await eventually('eight messages are read', () => sent() === 8)
  // Others would have been read with them.
  assert.equal(sent(), 8)
  end()
  await source.publish(spec('create', { id: 'b1' }))
})
