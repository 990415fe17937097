import { test } from 'node:test'
import { startMaestroServer } from '@orrery/maestro/server'
import { runCommands } from '../interop/maestro/commands-story.js'
import { runOrrerySdk } from '../interop/maestro/orrery-sdk-story.js'
import { databaseDirectory } from '../support/embedded-database.js'
import { afterwards } from '../support/server.js'

test('Maestro server with an embedded database', async (t) => {
  const server = await startMaestroServer({
    database: { directory: await databaseDirectory(t) },
    ports: { rest: 0, sources: 0, agents: false, health: false, metrics: false },
  })
  afterwards(t, () => server.close())
  const { rest, sources } = server.ports
  const ports = { rest: `http://127.0.0.1:${rest}`, sources: `127.0.0.1:${sources}` }

  // The list of all consumers is compared: this one comes first.
  await t.test('orrery maestro: get, apply, delete and watch', (t) => runCommands(t, ports))
  await t.test('maestroWorkClient: each operation', (t) => runOrrerySdk(t, ports))
})
