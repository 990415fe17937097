import type { TestContext } from 'node:test'
import { startMosquitto } from '../../support/mosquitto.js'
import { type Served, serveSpoke } from '../fleet-parts.js'
import { GoMaestroClient, isNotFound } from './go-client.js'
import { runInterruption } from './restart-story.js'
import { type AgentsPort, createConsumer, type MaestroOfTest, type StartMaestro } from './servers.js'
import { runWorkOverMaestro, type WorkSource } from './work-story.js'

const CONSUMER = 'edge'

/** Starts an agent. It returns its log, if it has one. */
export type StartAgent = (
  t: TestContext,
  spoke: Served,
  consumer: string,
  port: AgentsPort,
) => Promise<{ readonly log: string }>

/** Connects a source of works for the consumer. */
export type StartSource = (t: TestContext, server: MaestroOfTest, consumer: string) => Promise<WorkSource>

/** The parts of a test, each of Maestro and Open Cluster Management, or of Orrery. */
export interface Parts {
  readonly server: StartMaestro
  readonly agent: StartAgent
  readonly source: StartSource
}

/** Maestro's own SDK as the source. */
export const startGoSource: StartSource = async (t, server, consumer) =>
  Object.assign(await GoMaestroClient.start(t, server, 'interop', consumer), { isNotFound })

/** The life of a work, and one that changes while the server is killed. */
export async function runOverGrpc(t: TestContext, parts: Parts): Promise<void> {
  const server = await parts.server(t)
  const fleet = await fleetOf(t, parts, server)
  await runWorkOverMaestro(fleet)
  await runInterruption(fleet, async (change) => {
    await server.killAndStart()
    await change()
  })
}

/** The life of a work, and one that changes while the broker is down. */
export async function runOverMqtt(t: TestContext, parts: Parts): Promise<void> {
  const broker = await startMosquitto(t)
  const server = await parts.server(t, { mqtt: broker.address })
  const fleet = await fleetOf(t, parts, server)
  await runWorkOverMaestro(fleet)
  await runInterruption(fleet, async (change) => {
    await broker.stop()
    await change()
    await broker.start()
  })
}

async function fleetOf(t: TestContext, parts: Parts, server: MaestroOfTest) {
  await createConsumer(server, CONSUMER)
  const spoke = await serveSpoke(t)
  const agent = await parts.agent(t, spoke, CONSUMER, server.agents)
  const source = await parts.source(t, server, CONSUMER)
  const log = () => [server.program.log, agent.log].join('\n---\n')
  return { source, spoke: spoke.client, consumer: CONSUMER, log }
}
