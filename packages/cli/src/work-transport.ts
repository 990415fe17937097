import { readFile } from 'node:fs/promises'
import type { OpenSource } from '@orrery/agent'
import { type Command, Option } from 'commander'

export interface TransportOptions {
  readonly transport: 'kube' | 'grpc' | 'mqtt'
  readonly transportConfig?: string
}

/** Adds the options that select how works reach the agent. */
export function addTransportOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--transport <name>',
        'how works reach the agent: the API of the hub (kube), or CloudEvents over gRPC or MQTT, as with Maestro',
      )
        .choices(['kube', 'grpc', 'mqtt'])
        .default('kube'),
    )
    .option(
      '--transport-config <file>',
      "for grpc and mqtt: configuration file in YAML, with Open Cluster Management's fields",
    )
}

/** The source of works for another transport than `kube`. Reads and checks the configuration at once. */
export async function workSourceOf(options: TransportOptions, command: Command): Promise<OpenSource | undefined> {
  const { transport, transportConfig: file } = options
  if (transport === 'kube') {
    if (file !== undefined) command.error("error: option '--transport-config' requires --transport grpc or mqtt")
    return undefined
  }
  if (file === undefined) command.error(`error: option '--transport ${transport}' requires --transport-config <file>`)
  const text = await readFile(file, 'utf8')
  // Loaded on demand, so that other commands start faster.
  const { grpcSource, mqttSource, parseGrpcConfig, parseMqttConfig } = await import('@orrery/maestro/agent')
  if (transport === 'mqtt') {
    const config = parseMqttConfig(text, file)
    return (identity) => mqttSource(config, identity)
  }
  const config = parseGrpcConfig(text, file)
  return (identity) => grpcSource(config, identity)
}
