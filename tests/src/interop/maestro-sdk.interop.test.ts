import { test } from 'node:test'
import { whySkipped } from './maestro/programs.js'
import { runSdk } from './maestro/sdk-story.js'
import { startGoMaestro, startOrreryMaestro } from './maestro/servers.js'

const skip = whySkipped()

test("interop: Maestro's SDK with Maestro's server", { skip }, async (t) => runSdk(t, await startGoMaestro(t)))
test("interop: Maestro's SDK with Orrery's server", { skip }, async (t) => runSdk(t, await startOrreryMaestro(t)))
