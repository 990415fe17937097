import { test } from 'node:test'
import { runCommands } from './maestro/commands-story.js'
import { whySkipped } from './maestro/programs.js'
import { startGoMaestro } from './maestro/servers.js'

const skip = whySkipped()

test("interop: orrery maestro with Maestro's server", { skip }, async (t) => runCommands(t, await startGoMaestro(t)))
