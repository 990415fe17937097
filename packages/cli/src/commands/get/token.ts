import { writePrivately } from '@orrery/fleet'
import { Command } from 'commander'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
import { print, printText } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, targetOf, withTarget } from '../../shared/target.js'
import {
  type HubAddress,
  hubAddressOf,
  joinCommand,
  joinDocument,
  warnOfLocalAddress,
  warnOfMissingAuthority,
} from '../hub-address.js'
import { addTokenOptions, joinToken, type TokenOptions } from '../join-tokens.js'

interface GetTokenOptions extends TargetOptions, OutputOptions, TokenOptions {
  readonly bootstrapKubeconfig?: string
}

/** `orrery get token`. */
export function getTokenCommand(): Command {
  const command = new Command('token')
    .description('Print a join token and the command that joins a cluster.')
    .option('--bootstrap-kubeconfig <file>', 'write a bootstrap kubeconfig to this file instead, readable by you only')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
A join token permits to request the registration of a cluster, and nothing else.

Examples:
  orrery get token                                                    print the token of the local fleet
  orrery get token --context prod --token-type service-account --token-seconds 3600
  orrery get token --bootstrap-kubeconfig hub.kubeconfig              write a file for \`orrery agent\`
  orrery get token -o json | jq -r .token`,
    )
    .action(run)
  return addTargetOptions(addTokenOptions(command))
}

async function run(options: GetTokenOptions): Promise<void> {
  const target = targetOf(options)
  const { address, token } = await withTarget(target, async (client) => ({
    address: await hubAddressOf(target, client),
    token: await joinToken(client, options),
  }))
  warnOfMissingAuthority(address)
  if (options.output !== 'json' && options.output !== 'yaml') warnOfLocalAddress(address)
  if (options.bootstrapKubeconfig !== undefined)
    return writeBootstrapKubeconfig(options.bootstrapKubeconfig, address, token)
  if (options.output === 'json' || options.output === 'yaml') {
    return showDocument(options.output, joinDocument(address, token))
  }
  const command = joinCommand(address, token)
  printText(`token=${token}\n\nTo join a cluster, run:\n\n  ${command}\n`)
}

async function writeBootstrapKubeconfig(file: string, { server, ca }: HubAddress, token: string): Promise<void> {
  const { bootstrapKubeconfig } = await import('@orrery/agent')
  await writePrivately(file, await bootstrapKubeconfig({ server, token, ...(ca !== undefined && { ca }) }))
  print(`wrote ${file}`)
}
