import { test } from 'node:test'
import { startOrreryAgent } from './maestro/orrery-agent.js'
import { startOrrerySource } from './maestro/orrery-source.js'
import { whySkipped } from './maestro/programs.js'
import { startGoMaestro, startOrreryMaestro } from './maestro/servers.js'
import { runOverGrpc, runOverMqtt, startGoSource } from './maestro/transports.js'
import { startGoWorkAgent } from './maestro/work-agent.js'

const skip = whySkipped()

test("interop: Maestro's SDK and server with OCM's agent over gRPC", { skip }, (t) =>
  runOverGrpc(t, { server: startGoMaestro, agent: startGoWorkAgent, source: startGoSource }),
)

test("interop: Maestro's SDK and server with OCM's agent over MQTT", { skip }, (t) =>
  runOverMqtt(t, { server: startGoMaestro, agent: startGoWorkAgent, source: startGoSource }),
)

test("interop: Orrery's agent with Maestro's server and SDK over gRPC", { skip }, (t) =>
  runOverGrpc(t, { server: startGoMaestro, agent: startOrreryAgent, source: startGoSource }),
)

test("interop: Orrery's agent with Maestro's server and SDK over MQTT", { skip }, (t) =>
  runOverMqtt(t, { server: startGoMaestro, agent: startOrreryAgent, source: startGoSource }),
)

test("interop: Orrery's SDK with Maestro's server and OCM's agent", { skip }, (t) =>
  runOverGrpc(t, { server: startGoMaestro, agent: startGoWorkAgent, source: startOrrerySource }),
)

test("interop: Orrery's server with Maestro's SDK and OCM's agent over gRPC", { skip }, (t) =>
  runOverGrpc(t, { server: startOrreryMaestro, agent: startGoWorkAgent, source: startGoSource }),
)

test("interop: Orrery's server with Maestro's SDK and OCM's agent over MQTT", { skip }, (t) =>
  runOverMqtt(t, { server: startOrreryMaestro, agent: startGoWorkAgent, source: startGoSource }),
)
