import { writePrivately } from '@orrery/fleet'
import { Command } from 'commander'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
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
    .description('Print a token that clusters can join with, and the command to type there')
    .option('--bootstrap-kubeconfig <file>', 'write a kubeconfig for `orrery agent` instead, which only you may read')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Whoever has the token can ask to be let in, and nothing more.

Examples:
  orrery get token                                                    of the local fleet
  orrery get token --context prod --token-type service-account --token-seconds 3600
  orrery get token --bootstrap-kubeconfig hub.kubeconfig              for \`orrery agent --bootstrap-kubeconfig\`
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
  if (options.bootstrapKubeconfig !== undefined) return writeInvitation(options.bootstrapKubeconfig, address, token)
  if (options.output === 'json' || options.output === 'yaml') {
    return showDocument(options.output, joinDocument(address, token))
  }
  const command = joinCommand(address, token)
  process.stdout.write(`token=${token}\n\nOn a cluster that is to join:\n\n  ${command}\n`)
}

async function writeInvitation(file: string, { server, ca }: HubAddress, token: string): Promise<void> {
  const { bootstrapKubeconfig } = await import('@orrery/agent')
  await writePrivately(file, await bootstrapKubeconfig({ server, token, ...(ca !== undefined && { ca }) }))
  process.stdout.write(`${file} is written\n`)
}
