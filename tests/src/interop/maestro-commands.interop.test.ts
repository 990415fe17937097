import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orrery } from '../support/cli-here.js'
import { runCommands } from './maestro/commands-story.js'
import { whySkipped } from './maestro/programs.js'
import { startGoMaestro } from './maestro/servers.js'

const skip = whySkipped()

test("interop: orrery maestro with Maestro's server", { skip }, async (t) => {
  const server = await startGoMaestro(t)
  await runCommands(t, server)
  const unsupported = await orrery('maestro', 'get', 'works', '--all-sources', '--api-url', server.rest)
  assert.match(unsupported.errors, /the server does not list the works of all sources: omit --all-sources/)
  const other = await orrery('maestro', 'get', 'works', '--source', 'other', '--api-url', server.rest)
  assert.match(other.errors, /Other sources have \d+: show them with --all-sources/)
})
