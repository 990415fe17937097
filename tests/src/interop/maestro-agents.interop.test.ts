import { type TestContext, test } from 'node:test'
import { startMosquitto } from '../support/mosquitto.js'
import { serveSpoke } from './fleet-parts.js'
import { GoMaestroClient, isNotFound } from './maestro/go-client.js'
import { whySkipped } from './maestro/programs.js'
import { createConsumer, type MaestroOptions, type StartMaestro, startGoMaestro } from './maestro/servers.js'
import { startGoWorkAgent } from './maestro/work-agent.js'
import { runWorkOverMaestro } from './maestro/work-story.js'

const CONSUMER = 'edge'
const skip = whySkipped()

/** Open Cluster Management's agent and Maestro's SDK with a server. */
async function runGoPeers(t: TestContext, start: StartMaestro, options: MaestroOptions = {}): Promise<void> {
  const server = await start(t, options)
  await createConsumer(server, CONSUMER)
  const spoke = await serveSpoke(t)
  const agent = await startGoWorkAgent(t, spoke, CONSUMER, server.agents)
  const client = await GoMaestroClient.start(t, server, 'interop', CONSUMER)
  const log = () => [server.program.log, agent.log].join('\n---\n')
  await runWorkOverMaestro({
    source: Object.assign(client, { isNotFound }),
    spoke: spoke.client,
    consumer: CONSUMER,
    log,
  })
}

test("interop: OCM's work agent with Maestro's server over gRPC", { skip }, (t) => runGoPeers(t, startGoMaestro))

test("interop: OCM's work agent with Maestro's server over MQTT", { skip }, async (t) => {
  const { address } = await startMosquitto(t)
  await runGoPeers(t, startGoMaestro, { mqtt: address })
})
