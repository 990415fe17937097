import test from 'node:test'
import { Client } from '../support/client.js'
import { startServer } from '../support/server.js'

const ELSEWHERE = '127.0.0.5'
const skip = process.platform === 'linux' ? false : 'only Linux answers on all of 127.0.0.0/8'

test('orrery apiserver --host: adds the address to the serving certificate', { skip }, async (t) => {
  const { dataDirectory, stop } = await startServer(t)
  await stop()
  const server = await startServer(t, { dataDirectory, arguments: ['--host', ELSEWHERE] })
  const client = new Client(server)
  t.after(() => client.close())
  await client.ok('GET', '/api/v1/namespaces/default')
})
