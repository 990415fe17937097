import { test } from 'node:test'
import { runOrrerySdk } from './maestro/orrery-sdk-story.js'
import { whySkipped } from './maestro/programs.js'
import { startGoMaestro } from './maestro/servers.js'

const skip = whySkipped()

test("interop: Orrery's client with Maestro's server", { skip }, async (t) => runOrrerySdk(t, await startGoMaestro(t)))
