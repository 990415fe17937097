import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '@orrery/kube/testing'
import { freePort } from '../../support/free-port.js'
import { type Postgres, startPostgres } from '../../support/postgres.js'
import { temporaryDirectory } from '../../support/server.js'
import { OcmProgram } from '../ocm.js'
import { programPath } from './programs.js'

export const CLI = fileURLToPath(new URL('../../../../packages/cli/bin/orrery.js', import.meta.url))

/** A Maestro server with its database. */
export interface MaestroOfTest {
  /** The URL of its REST port. */
  readonly rest: string
  /** The address of its gRPC port for sources. */
  readonly sources: string
  readonly agents: AgentsPort
  /** The running process. */
  readonly program: OcmProgram
  /** Kills it and starts it again on the same ports. Resolves when it answers. */
  killAndStart(): Promise<void>
}

/** Where agents receive works: at the server's own broker, or at an MQTT broker. */
export type AgentsPort =
  | { readonly transport: 'grpc'; readonly address: string }
  | { readonly transport: 'mqtt'; readonly address: string }

export interface MaestroOptions {
  /** The address of an MQTT broker. Default: the server's own broker. */
  readonly mqtt?: string
  readonly postgres?: Postgres
}

export type StartMaestro = (t: Pick<TestContext, 'after'>, options?: MaestroOptions) => Promise<MaestroOfTest>

/** The server in Go, on PostgreSQL. */
export const startGoMaestro: StartMaestro = async (t, options = {}) => {
  const path = programPath('maestro')
  const { ports, access, flags, messages } = await prepare(t, options)
  await OcmProgram.run(t, [path, 'migration', ...access]).ended
  return serveMaestro(t, ports, [path, 'server', ...access, ...flags, ...messages])
}

/** Orrery's server, on PostgreSQL, with the same flags. */
export const startOrreryMaestro: StartMaestro = async (t, options = {}) => {
  const { ports, access, flags, messages } = await prepare(t, options)
  // The gRPC port of agents needs no flag: it is always open.
  const broker = options.mqtt === undefined ? [] : messages
  return serveMaestro(t, ports, [process.execPath, CLI, 'maestro', 'server', ...access, ...flags, ...broker])
}

/** An empty database, and the flags of a server that uses it. */
async function prepare(t: Pick<TestContext, 'after'>, { mqtt, postgres }: MaestroOptions) {
  const database = postgres ?? (await startPostgres(t))
  const directory = await temporaryDirectory(t)
  const files = {
    host: database.host,
    port: String(database.port),
    user: database.user,
    password: 'unused',
    name: await database.createDatabase(),
  }
  for (const [name, value] of Object.entries(files)) await writeFile(join(directory, name), value)
  const access = Object.keys(files).map((name) => `--db-${name}-file=${join(directory, name)}`)
  const [http, grpc, broker, health, metrics] = await Promise.all(Array.from({ length: 5 }, () => freePort()))
  const agents: AgentsPort =
    mqtt === undefined ? { transport: 'grpc', address: `127.0.0.1:${broker}` } : { transport: 'mqtt', address: mqtt }
  const flags = [
    '--server-hostname=127.0.0.1',
    `--http-server-bindport=${http}`,
    `--grpc-server-bindport=${grpc}`,
    `--grpc-broker-bindport=${broker}`,
    `--health-check-server-bindport=${health}`,
    `--metrics-server-bindport=${metrics}`,
  ]
  const toMqtt = mqtt === undefined ? [] : [`--message-broker-config-file=${await mqttConfig(directory, mqtt)}`]
  const messages = [`--message-broker-type=${agents.transport}`, ...toMqtt]
  return { ports: { rest: `http://127.0.0.1:${http}`, sources: `127.0.0.1:${grpc}`, agents }, access, flags, messages }
}

async function serveMaestro(
  t: Pick<TestContext, 'after'>,
  ports: Pick<MaestroOfTest, 'rest' | 'sources' | 'agents'>,
  command: readonly [string, ...string[]],
): Promise<MaestroOfTest> {
  let program = OcmProgram.run(t, command)
  await isReady(ports.rest, program)
  return {
    ...ports,
    get program() {
      return program
    },
    async killAndStart() {
      await program.stop('SIGKILL')
      program = OcmProgram.run(t, command)
      await isReady(ports.rest, program)
    },
  }
}

async function mqttConfig(directory: string, address: string): Promise<string> {
  const file = join(directory, 'mqtt.yaml')
  const topic = (events: string) => `sources/maestro/consumers/+/${events}`
  const config = {
    brokerHost: address,
    topics: { sourceEvents: topic('sourceevents'), agentEvents: `$share/statussubscribers/${topic('agentevents')}` },
  }
  await writeFile(file, JSON.stringify(config))
  return file
}

async function isReady(rest: string, program: OcmProgram): Promise<void> {
  await eventually(
    'the REST port answers',
    async () => {
      try {
        return (await fetch(`${rest}/api/maestro/v1/consumers`)).ok
      } catch {
        return false
      }
    },
    { timeoutMilliseconds: 60_000, seen: () => program.log },
  )
}

/** Registers a consumer. */
export async function createConsumer({ rest }: Pick<MaestroOfTest, 'rest'>, name: string): Promise<void> {
  const response = await fetch(`${rest}/api/maestro/v1/consumers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  if (response.status !== 201) throw new Error(`consumer ${name}: ${response.status} ${await response.text()}`)
}
