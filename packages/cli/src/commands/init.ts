import { WEBHOOK_PORT } from '@orrery/api'
import { Command } from 'commander'
import { type OutputOptions, outputOption, showDocument } from '../shared/output.js'
import { addTargetOptions, type TargetOptions, targetOf, withTarget } from '../shared/target.js'
import { knowFromClusteradm } from './clusteradm.js'
import { hubAddressOf, joinCommand, joinDocument, warnOfMissingAuthority } from './hub-address.js'
import { addTokenOptions, joinToken, type TokenOptions } from './join-tokens.js'
import { shellWord } from './words.js'

interface InitOptions extends TargetOptions, OutputOptions, TokenOptions {}

/** `orrery init`. */
export function initCommand(): Command {
  const command = new Command('init')
    .description('Make a Kubernetes a hub: kinds, namespaces, rights, and a token to join with')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
It can be repeated at any time, and writes only what differs; webhooks of a hub that runs stay as they are. A hub of \`orrery up\` or \`orrery hub\` has all of it already.

Examples:
  orrery init --kubeconfig ~/.kube/config                    prepare the cluster of the current context
  orrery init --context prod --token-type service-account    where bootstrap tokens are off, as on EKS and GKE
  orrery init -o json | jq -r .command                       the command to join with, for a script`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(addTokenOptions(command)), {
    '--wait': undefined,
    '--feature-gates <list>': 'give it to `orrery hub`',
    '--output-join-command-file <file>': '`orrery init -o json` prints the command to join with',
  })
}

async function run(options: InitOptions): Promise<void> {
  const target = targetOf(options)
  const address = await withTarget(target, (client) => hubAddressOf(target, client))
  const token = await withTarget(target, async (client) => {
    // Whatever is not needed by all commands is loaded by those that need it.
    const { installHub } = await import('@orrery/hub')
    const bootstrapToken = options.tokenType === 'bootstrap'
    await installHub(client, { bootstrapToken, webhookService: target.fleet === undefined })
    return joinToken(client, options)
  })
  warnOfMissingAuthority(address)
  if (options.output === 'json' || options.output === 'yaml') {
    return showDocument(options.output, joinDocument(address, token))
  }
  const command = joinCommand(address, token)
  process.stdout.write(`${address.server} is a hub.\n\n`)
  if (target.fleet === undefined) {
    const words = targetWords(options)
    process.stdout.write(
      `Run its controllers, with the address that it reaches this machine at:\n\n  orrery hub${words} --webhook-url https://<host>:${WEBHOOK_PORT}\n\n`,
    )
  }
  process.stdout.write(
    `Let a cluster join: on the cluster,\n\n  ${command}\n\nand on the hub,\n\n  orrery accept --clusters <name>\n`,
  )
}

/** The options that lead to the same cluster again. */
function targetWords({ kubeconfig, context }: TargetOptions): string {
  const words = (option: string, value: string | undefined) =>
    value === undefined ? '' : ` ${option} ${shellWord(value)}`
  return words('--kubeconfig', kubeconfig) + words('--context', context)
}
