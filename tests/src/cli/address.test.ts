import test from 'node:test'
import { Client } from '../support/client.js'
import { startServer } from '../support/server.js'

const ELSEWHERE = '127.0.0.5'
const skip = process.platform === 'linux' ? false : 'only Linux answers on all of 127.0.0.0/8'

test('the serving certificate holds the address that was asked for', { skip }, async (t) => {
  const { dataDirectory, stop } = await startServer(t)
  await stop()
  const server = await startServer(t, { dataDirectory, arguments: ['--host', ELSEWHERE] })
  const client = new Client(server)
  t.after(() => client.close())
  await client.ok('GET', '/api/v1/namespaces/default')
})
