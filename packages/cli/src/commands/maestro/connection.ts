import type { MaestroWorkClient } from '@orrery/maestro'
import { type Command, Option } from 'commander'
import { directoryName } from '../../arguments.js'
import { explainMaestroFailure } from './explain-failure.js'
import {
  DEFAULT_SERVER,
  nameServer,
  type Ports,
  type SelectedServer,
  type SelectionOptions,
  selectServer,
} from './selected-server.js'

export interface ConnectionOptions extends SelectionOptions {
  readonly source: string
}

/** People who watch expect changes of other programs soon. Servers do not report them before an agent reports a status. */
const RESYNC_MILLISECONDS = 5_000

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
      ).env('MAESTRO_API_URL'),
    )
    .addOption(
      new Option(
        '--grpc-url <address>',
        `address of the gRPC port of sources: host:port, or https://host:port (also grpcs://) for TLS (default: the server of the local fleet, else ${DEFAULT_SERVER.grpcUrl})`,
      ).env('MAESTRO_GRPC_URL'),
    )
    .addOption(
      new Option('--source <id>', 'source that the works belong to').env('MAESTRO_SOURCE_ID').default('orrery'),
    )
    .addOption(
      new Option('--token-file <file>', 'file with a bearer token; it is sent only over TLS').env('MAESTRO_TOKEN_FILE'),
    )
    .addOption(new Option('--ca-file <file>', 'CA bundle that verifies the server').env('MAESTRO_CA_FILE'))
    .option('--cert-file <file>', 'client certificate; requires --key-file')
    .option('--key-file <file>', 'key of the client certificate')
}

/**
 * Runs something with a client of the selected server. Prints which one it is if the command line does not select it, except
 * with `-o json` and `-o yaml`. Adds advice to errors.
 */
export async function withMaestro<T>(
  options: ConnectionOptions & { readonly output?: string },
  { command, ports }: { readonly command: Command; readonly ports: Ports },
  run: (client: MaestroWorkClient, server: SelectedServer) => Promise<T>,
): Promise<T> {
  const { source, certFile, keyFile, output } = options
  if ((certFile === undefined) !== (keyFile === undefined)) {
    command.error("error: options '--cert-file' and '--key-file' must be used together")
  }
  const server = await selectServer(options, ports, command)
  if (output !== 'json' && output !== 'yaml') nameServer(server)
  // Loaded on demand, so that other commands start faster.
  const { maestroWorkClient } = await import('@orrery/maestro')
  const client = maestroWorkClient({
    ...server.connection,
    sourceId: source,
    resyncMilliseconds: RESYNC_MILLISECONDS,
  })
  try {
    return await run(client, server)
  } catch (error) {
    throw explainMaestroFailure(error, server)
  } finally {
    await client.close()
  }
}
