import { type FleetDirectory, fleetDirectory } from '@orrery/fleet'
import type { MaestroClientOptions } from '@orrery/maestro'
import type { Command } from 'commander'
import { note } from '../../shared/print.js'
import { fleetConnection } from './fleet-server.js'

/** The options that select a Maestro server, and the credentials for it. */
export interface SelectionOptions {
  readonly data?: string
  readonly apiUrl?: string
  readonly grpcUrl?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
}

/** The ports that a command uses: publications and watches need gRPC. */
export type Ports = 'rest' | 'rest and gRPC'

type Connection = Pick<MaestroClientOptions, 'apiUrl' | 'grpcUrl' | 'ca' | 'token' | 'tokenFile' | 'certificates'>

/** The server of a command. */
export interface SelectedServer {
  readonly connection: Connection
  /** The local fleet that the server belongs to. */
  readonly fleet?: FleetDirectory
  /** Where the server was found. */
  readonly origin: string
  /** Whether an option on the command line selects it. */
  readonly isTyped: boolean
  /** Whether nothing selects it: a server on this machine is tried. */
  readonly isDefault: boolean
  /** A command of `orrery` for the same server, as shown in messages. */
  command(text: string): string
}

/** `orrery maestro server` without options. */
export const DEFAULT_SERVER = { apiUrl: 'http://127.0.0.1:8000', grpcUrl: '127.0.0.1:8090' }

/** How to select another server. */
export const SELECT_ANOTHER = 'select another with --data, or with --api-url and --grpc-url'

/**
 * Selects the server of a command. The first of these applies:
 *
 * 1. `--data`, or `--api-url` and `--grpc-url`: options on the command line take precedence over environment variables;
 * 2. `MAESTRO_API_URL` and `MAESTRO_GRPC_URL`;
 * 3. the local fleet, if it has a Maestro server;
 * 4. the addresses of `orrery maestro server` without options.
 */
export async function selectServer(given: SelectionOptions, ports: Ports, command: Command): Promise<SelectedServer> {
  // An empty variable is an unset one.
  const options: SelectionOptions = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  const isTyped = (name: keyof SelectionOptions) => command.getOptionValueSource(name) === 'cli'
  const typedAddress = (['apiUrl', 'grpcUrl'] as const).find(isTyped)
  if (options.data !== undefined && typedAddress !== undefined) {
    const flag = typedAddress === 'apiUrl' ? '--api-url' : '--grpc-url'
    command.error(`error: option '--data <dir>' cannot be used with option '${flag}': each selects a server`)
  }
  const { apiUrl, grpcUrl, data } = options
  const isNamed = data === undefined && (apiUrl !== undefined || grpcUrl !== undefined)
  if (isNamed) {
    requireAddresses(options, ports, command)
    return {
      connection: { apiUrl: apiUrl ?? '', grpcUrl: grpcUrl ?? unusedPort(apiUrl), ...credentialsOf(options) },
      origin: 'of $MAESTRO_API_URL',
      isTyped: typedAddress !== undefined,
      isDefault: false,
      command: plainCommand,
    }
  }
  const fleet = fleetDirectory(data)
  // Variables belong to the server of the variables.
  const typed = Object.fromEntries(Object.entries(options).filter(([name]) => isTyped(name as keyof SelectionOptions)))
  const needs = { isRequired: data !== undefined, needsToken: !hasIdentity(typed) }
  const local = await fleetConnection(fleet, needs).catch((error: unknown) => {
    throw data === undefined ? withOtherServers(error) : error
  })
  if (local === undefined) {
    return {
      connection: { ...DEFAULT_SERVER, ...credentialsOf(options) },
      origin: 'of `orrery maestro server`',
      isTyped: false,
      isDefault: true,
      command: plainCommand,
    }
  }
  return {
    connection: { ...local, ...credentialsOf(typed) },
    fleet,
    origin: `of the fleet in ${fleet.root}`,
    isTyped: data !== undefined,
    isDefault: false,
    command: (text) => fleet.command(text),
  }
}

/** Prints the selected server, unless the command line names it. */
export function nameServer({ connection, origin, isTyped }: SelectedServer): void {
  if (isTyped) return
  note(`server: ${connection.apiUrl} ${origin} (${SELECT_ANOTHER})`)
}

/** A stopped fleet is not skipped, so that a command never uses another server because of it. */
function withOtherServers(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return new Error(`${error.message}\nIf you run another server, ${SELECT_ANOTHER.replace('another', 'it')}.`, {
    cause: error,
  })
}

/** One address does not imply the other: with a default, a command would use the ports of two servers. */
function requireAddresses({ apiUrl, grpcUrl }: SelectionOptions, ports: Ports, command: Command): void {
  if (apiUrl === undefined) {
    command.error("error: option '--grpc-url' requires '--api-url <url>': the REST port of the same server")
  }
  if (grpcUrl === undefined && ports === 'rest and gRPC') {
    command.error("error: option '--api-url' requires '--grpc-url <address>': the gRPC port of the same server")
  }
}

/** Clients check the addresses of both ports, with the credentials for them. This one is not connected to. */
function unusedPort(apiUrl = ''): string {
  return `${apiUrl.startsWith('https:') ? 'https://' : ''}${DEFAULT_SERVER.grpcUrl}`
}

function credentialsOf({ tokenFile, caFile, certFile, keyFile }: SelectionOptions): Partial<Connection> {
  return {
    ...(tokenFile !== undefined && { tokenFile }),
    ...(caFile !== undefined && { ca: { file: caFile } }),
    ...(certFile !== undefined &&
      keyFile !== undefined && { certificates: { certificate: { file: certFile }, key: { file: keyFile } } }),
  }
}

function hasIdentity({ tokenFile, certFile }: SelectionOptions): boolean {
  return tokenFile !== undefined || certFile !== undefined
}

const plainCommand = (text: string) => `\`orrery ${text}\``
