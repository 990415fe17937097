import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { freePort } from '../../support/free-port.js'
import { type Postgres, startPostgres } from '../../support/postgres.js'
import { temporaryDirectory } from '../../support/server.js'
import { OcmProgram } from '../ocm.js'
import { programPath } from './programs.js'

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
export const startGoMaestro: StartMaestro = async (t, { mqtt, postgres } = {}) => {
  const database = postgres ?? (await startPostgres(t))
  const directory = await temporaryDirectory(t)
  const files = {
    host: database.host,
    port: String(database.port),
    user: database.user,
    password: 'unused',
    name: await database.createDatabase(),
  }
  const secrets = join(directory, 'secrets')
  await mkdir(secrets)
  for (const [name, value] of Object.entries(files)) await writeFile(join(secrets, name), value)
  const access = Object.keys(files).map((name) => `--db-${name}-file=${join(secrets, name)}`)
  const path = programPath('maestro')
  await OcmProgram.run(t, [path, 'migration', ...access]).ended
  const [http, grpc, broker, health, metrics] = await Promise.all(Array.from({ length: 5 }, () => freePort()))
  const brokerOptions =
    mqtt === undefined
      ? ['--message-broker-type=grpc', `--grpc-broker-bindport=${broker}`]
      : ['--message-broker-type=mqtt', `--message-broker-config-file=${await mqttConfig(directory, mqtt)}`]
  const agents: AgentsPort =
    mqtt === undefined ? { transport: 'grpc', address: `127.0.0.1:${broker}` } : { transport: 'mqtt', address: mqtt }
  return serveMaestro(t, { rest: `http://127.0.0.1:${http}`, sources: `127.0.0.1:${grpc}`, agents }, [
    path,
    'server',
    ...access,
    '--server-hostname=127.0.0.1',
    `--http-server-bindport=${http}`,
    `--grpc-server-bindport=${grpc}`,
    `--health-check-server-bindport=${health}`,
    `--metrics-server-bindport=${metrics}`,
    ...brokerOptions,
  ])
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
