import { test } from 'node:test'
import { startMaestroServer } from '@orrery/maestro/server'
import { runCommands } from '../interop/maestro/commands-story.js'
import { runOrrerySdk } from '../interop/maestro/orrery-sdk-story.js'
import { afterwards } from '../support/server.js'

/** Orrery's server, with an embedded database. */
async function start(t: Parameters<typeof afterwards>[0]) {
  const server = await startMaestroServer({
    ports: { rest: 0, sources: 0, agents: false, health: false, metrics: false },
  })
  afterwards(t, () => server.close())
  const { rest, sources } = server.ports
  return { rest: `http://127.0.0.1:${rest}`, sources: `127.0.0.1:${sources}` }
}

test('maestroWorkClient: each operation works with the server', async (t) => runOrrerySdk(t, await start(t)))

test('orrery maestro: get, apply, delete and watch work with the server', async (t) => runCommands(t, await start(t)))
