import type { MaestroClientOptions, MaestroWorkClient } from '@orrery/maestro'
import { type Command, Option } from 'commander'
import { directoryName } from '../../arguments.js'
import { fleetServer } from './fleet-server.js'

export interface ConnectionOptions {
  readonly data?: string
  readonly apiUrl?: string
  readonly grpcUrl?: string
  readonly source: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
}

/** People who watch expect changes of other programs soon. Servers do not report them before an agent reports a status. */
const RESYNC_MILLISECONDS = 5_000

/** `orrery maestro server` without options. */
const DEFAULT_SERVER = { apiUrl: 'http://127.0.0.1:8000', grpcUrl: '127.0.0.1:8090' }

/** The options that select a Maestro server. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option(
      '--data <dir>',
      'use the server of the local fleet in this directory (default: $ORRERY_DATA, else ~/.orrery/fleet)',
      directoryName,
    )
    .addOption(
      new Option(
        '--api-url <url>',
        `URL of the REST port (default: the server of the local fleet, else ${DEFAULT_SERVER.apiUrl})`,
      )
        .env('MAESTRO_API_URL')
        .conflicts('data'),
    )
    .addOption(
      new Option(
        '--grpc-url <address>',
        `address of the gRPC port of sources: host:port, or https://host:port for TLS (default: the server of the local fleet, else ${DEFAULT_SERVER.grpcUrl})`,
      )
        .env('MAESTRO_GRPC_URL')
        .conflicts('data'),
    )
    .addOption(
      new Option('--source <id>', 'source that the works belong to').env('MAESTRO_SOURCE_ID').default('orrery'),
    )
    .option('--token-file <file>', 'file with a bearer token; it is sent only over TLS')
    .option('--ca-file <file>', 'CA bundle that verifies the server')
    .option('--cert-file <file>', 'client certificate; requires --key-file')
    .option('--key-file <file>', 'key of the client certificate')
}

/** Runs something with a client of the selected server. */
export async function withMaestro<T>(
  options: ConnectionOptions,
  command: Command,
  run: (client: MaestroWorkClient) => Promise<T>,
): Promise<T> {
  const { source, tokenFile, caFile, certFile, keyFile } = options
  if ((certFile === undefined) !== (keyFile === undefined)) {
    command.error("error: options '--cert-file' and '--key-file' must be used together")
  }
  // Loaded on demand, so that other commands start faster.
  const { maestroWorkClient } = await import('@orrery/maestro')
  const client = maestroWorkClient({
    ...(await serverOf(options)),
    sourceId: source,
    resyncMilliseconds: RESYNC_MILLISECONDS,
    ...(tokenFile !== undefined && { tokenFile }),
    ...(caFile !== undefined && { ca: { file: caFile } }),
    ...(certFile !== undefined &&
      keyFile !== undefined && { certificates: { certificate: { file: certFile }, key: { file: keyFile } } }),
  })
  try {
    return await run(client)
  } finally {
    await client.close()
  }
}

/** The selected server: with an address, that one; else the one of the local fleet, if it has one. */
async function serverOf({
  data,
  apiUrl,
  grpcUrl,
}: ConnectionOptions): Promise<Pick<MaestroClientOptions, 'apiUrl' | 'grpcUrl' | 'ca' | 'token'>> {
  const isNamed = apiUrl !== undefined || grpcUrl !== undefined
  const local = isNamed ? undefined : await fleetServer(data)
  if (local !== undefined) return local
  return { apiUrl: apiUrl ?? DEFAULT_SERVER.apiUrl, grpcUrl: grpcUrl ?? DEFAULT_SERVER.grpcUrl }
}
