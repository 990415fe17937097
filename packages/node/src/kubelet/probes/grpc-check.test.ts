import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { checkGrpc } from './grpc-check.js'

test('checkGrpc: requests the health of a service', async (t) => {
  const asked: string[] = []
  const server = createServer()
  server.on('stream', (stream) => {
    const pieces: Buffer[] = []
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('end', () => {
      const service = Buffer.concat(pieces).subarray(7).toString()
      asked.push(service)
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, service === 'up' ? 1 : 2]))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const { signal } = new AbortController()
  assert.equal((await checkGrpc('127.0.0.1', port, 'up', signal)).ok, true)
  const down = await checkGrpc('127.0.0.1', port, 'x'.repeat(200), signal)
  assert.match(down.message, /service unhealthy \(responded with status 2\)$/)
  assert.equal(asked[0], 'up')
})

test('checkGrpc: fails if nothing listens', async () => {
  const { ok, message } = await checkGrpc('127.0.0.1', 1, '', new AbortController().signal)
  assert.equal(ok, false)
  assert.match(message, /health rpc probe failed/)
})
