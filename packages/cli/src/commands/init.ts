import { WEBHOOK_PORT } from '@orrery/api'
import { Command } from 'commander'
import { type OutputOptions, outputOption, showDocument } from '../shared/output.js'
import { printText } from '../shared/print.js'
import { addTargetOptions, type TargetOptions, targetOf, withTarget } from '../shared/target.js'
import { knowFromClusteradm } from './clusteradm.js'
import { hubAddressOf, joinCommand, joinDocument, warnOfMissingAuthority } from './hub-address.js'
import { addTokenOptions, joinToken, type TokenOptions } from './join-tokens.js'
import { shellWord } from './option-parsers.js'

interface InitOptions extends TargetOptions, OutputOptions, TokenOptions {}

/** `orrery init`. */
export function initCommand(): Command {
  const command = new Command('init')
    .description('Make an existing cluster a hub: install CRDs, namespaces, RBAC and a join token.')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
You can run the command again at any time: it writes only what differs and keeps the webhooks of a running hub. A hub of
\`orrery up\` or \`orrery hub\` needs no init.

Examples:
  orrery init --kubeconfig ~/.kube/config                    prepare the cluster of the current context
  orrery init --context prod --token-type service-account    for clusters without bootstrap tokens, such as EKS and GKE
  orrery init -o json | jq -r .command                       print the join command for a script`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(addTokenOptions(command)), {
    '--wait': undefined,
    '--feature-gates <list>': 'pass it to `orrery hub`',
    '--output-join-command-file <file>': 'run `orrery init -o json` to print the join command',
  })
}

async function run(options: InitOptions): Promise<void> {
  const target = targetOf(options)
  const address = await withTarget(target, (client) => hubAddressOf(target, client))
  const token = await withTarget(target, async (client) => {
    // Loaded on demand, so that other commands start faster.
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
  printText(`${address.server} is a hub.\n\n`)
  if (target.fleet === undefined) {
    const words = targetArguments(options)
    printText(
      `Run the hub controllers, with the address at which its API server reaches this machine:\n\n  orrery hub${words} --webhook-url https://<host>:${WEBHOOK_PORT}\n\n`,
    )
  }
  printText(
    `To join a cluster, run on the cluster:\n\n  ${command}\n\nThen accept it on the hub:\n\n  orrery accept --clusters <name>\n`,
  )
}

/** The options that select the same cluster. */
function targetArguments({ kubeconfig, context }: TargetOptions): string {
  const words = (option: string, value: string | undefined) =>
    value === undefined ? '' : ` ${option} ${shellWord(value)}`
  return words('--kubeconfig', kubeconfig) + words('--context', context)
}
