import { type HubInfo, hubInfo } from '@orrery/hub/operations'
import type { WebhookFinding } from '@orrery/webhook'
import { Command } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { ageOf } from '../../shared/age.js'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
import { addTargetOptions, type TargetOptions, targetOf, withTarget } from '../../shared/target.js'
import { showFacts } from '../facts.js'
import { hubAddressOf } from '../hub-address.js'

/** `orrery get hub-info`. */
export function getHubInfoCommand(): Command {
  const command = new Command('hub-info')
    .description('Show what a hub is and how it is; the exit code is 0 when it is one')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get hub-info                    the hub of the local fleet
  orrery get hub-info --context prod     another one`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run({ output, ...options }: TargetOptions & OutputOptions): Promise<void> {
  const target = targetOf(options)
  const info = await withTarget(target, async (client): Promise<Info> => {
    const [{ server }, hub] = await Promise.all([hubAddressOf(target, client), hubInfo(client)])
    // The API server of a local fleet checks by itself, and what is no hub yet has nothing to check.
    if (target.fleet !== undefined || hub.missing.length > 0) return { server, ...hub }
    const { findWebhooks } = await import('@orrery/webhook')
    return { server, ...hub, webhooks: await findWebhooks(client) }
  })
  if (info.missing.length > 0) process.exitCode = EXIT_FAILED
  if (output === 'json' || output === 'yaml') return showDocument(output, info)
  showFacts(linesOf(info))
  if (info.missing.length > 0) process.stderr.write('it is no hub yet: `orrery init` makes it one\n')
}

interface Info extends HubInfo {
  readonly server: string
  readonly webhooks?: WebhookFinding
}

function linesOf({ server, version, missing, bootstrapToken, leader, clusters, webhooks }: Info) {
  const { total, accepted, joined, available } = clusters
  const lines: [string, string][] = [
    ['Server', server],
    ['Kubernetes', version],
    ['Kinds', missing.length === 0 ? 'all served' : `missing: ${missing.join(', ')}`],
    ['Bootstrap token', bootstrapToken ? 'there is one' : 'none'],
    ['Clusters', `${total}, of which ${accepted} accepted, ${joined} joined, ${available} available`],
  ]
  if (leader !== undefined) lines.push(['Controllers', `${leader.holder}, last heard of ${ageOf(leader.renewed)} ago`])
  if (webhooks !== undefined) lines.push(['Webhooks', inWords(webhooks)])
  return lines
}

function inWords(webhooks: WebhookFinding): string {
  switch (webhooks.state) {
    case 'asked':
      return 'the API server asks them'
    case 'configured':
      return 'the API server was told to ask them; whether it reaches them was not tried'
    case 'none':
      return 'none, so nobody checks what is written: `orrery hub` brings them. An embedded hub needs none'
    case 'unreachable': {
      const effect = webhooks.isDemanded ? 'and refuses what they should check' : 'so nobody checks what is written'
      return `the API server does not reach them, ${effect}: ${webhooks.problem}`
    }
  }
}
