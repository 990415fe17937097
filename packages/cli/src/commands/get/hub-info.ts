import { type HubInfo, hubInfo } from '@orrery/hub/operations'
import type { WebhookFinding } from '@orrery/webhook'
import { Command } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { ageOf } from '../../shared/age.js'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, targetOf, withTarget } from '../../shared/target.js'
import { showDetails } from '../details.js'
import { hubAddressOf } from '../hub-address.js'

/** `orrery get hub-info`. */
export function getHubInfoCommand(): Command {
  const command = new Command('hub-info')
    .description('Show hub details and health. The exit code is 1 if the cluster is not a hub.')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get hub-info                    show the hub of the local fleet
  orrery get hub-info --context prod     show another hub`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run({ output, ...options }: TargetOptions & OutputOptions): Promise<void> {
  const target = targetOf(options)
  const info = await withTarget(target, async (client): Promise<Info> => {
    const [{ server }, hub] = await Promise.all([hubAddressOf(target, client), hubInfo(client)])
    // The API server of a local fleet validates in process, and a cluster that is not a hub has no webhooks.
    if (target.fleet !== undefined || hub.missing.length > 0) return { server, ...hub }
    const { findWebhooks } = await import('@orrery/webhook')
    return { server, ...hub, webhooks: await findWebhooks(client) }
  })
  if (info.missing.length > 0) process.exitCode = EXIT_FAILED
  if (output === 'json' || output === 'yaml') return showDocument(output, info)
  showDetails(linesOf(info))
  if (info.missing.length > 0) note('The cluster is not a hub. Run `orrery init` to make it a hub.')
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
    ['CRDs', missing.length === 0 ? 'all served' : `missing: ${missing.join(', ')}`],
    ['Bootstrap token', bootstrapToken ? 'present' : 'none'],
    ['Clusters', `${total} total, ${accepted} accepted, ${joined} joined, ${available} available`],
  ]
  if (leader !== undefined) lines.push(['Leader', `${leader.holder}, last renewal ${ageOf(leader.renewed)} ago`])
  if (webhooks !== undefined) lines.push(['Webhooks', webhookText(webhooks)])
  return lines
}

function webhookText(webhooks: WebhookFinding): string {
  switch (webhooks.state) {
    case 'called':
      return 'called by the API server'
    case 'configured':
      return 'configured; whether the API server can reach them is unknown'
    case 'none':
      return 'none, writes are not validated: run `orrery hub` with --webhook-url. An embedded hub needs no webhooks'
    case 'unreachable': {
      const effect = webhooks.isEnforced ? 'writes are rejected' : 'writes are not validated'
      return `unreachable for the API server, ${effect}: ${webhooks.problem}`
    }
  }
}
