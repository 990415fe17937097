import { type Acceptance, acceptCluster, acceptClusterWhenHere } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { plainText } from '../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { addWaitOptions, settleWait, type WaitOptions, withPatience } from './patience.js'
import { nameList } from './words.js'

interface AcceptCommandOptions extends TargetOptions, WaitOptions {
  readonly clusters: readonly string[]
  readonly requesters?: readonly string[]
  readonly skipApproveCheck?: boolean
}

/** `orrery accept`. */
export function acceptCommand(): Command {
  const command = new Command('accept')
    .description('Let clusters in: approve the first certificates of their agents, and accept them')
    .requiredOption('--clusters <names>', 'which ones: a,b', nameList)
    .option('--requesters <users>', 'approve what these users asked for, too: u,v', nameList)
    .option('--skip-approve-check', 'approve whoever asked, not only who came with bootstrap credentials')
    .addHelpText(
      'after',
      `
When several agents claim to be a cluster, nothing is approved: find out which one is right first.

Examples:
  orrery accept --clusters edge1,edge2           clusters that have come, as \`orrery get clusters\` shows
  orrery accept --clusters edge3 --wait          one that is about to
  orrery accept --clusters edge4 --requesters system:serviceaccount:ci:joiner`,
    )
    .action(run)
  return addTargetOptions(addWaitOptions(command, 'wait for clusters that have not come yet'))
}

async function run(given: AcceptCommandOptions, command: Command): Promise<void> {
  const options = settleWait(given, command)
  await withHub(options, async (client) => {
    const results = await Promise.allSettled(options.clusters.map((name) => accept(client, name, options)))
    const failures: string[] = []
    for (const result of results) {
      if (result.status === 'fulfilled') tell(result.value)
      else if (options.clusters.length === 1) throw result.reason
      else failures.push((result.reason as Error).message)
    }
    if (failures.length > 0) throw new Error(failures.join('\n'))
  })
}

function accept(client: KubeClient, name: string, options: AcceptCommandOptions): Promise<Acceptance> {
  const { wait, requesters = [], skipApproveCheck: anyRequester = false } = options
  if (wait === undefined) return acceptCluster(client, name, { requesters, anyRequester })
  return withPatience(wait, `cluster ${name} has not come, or has not asked for a certificate`, (signal) =>
    acceptClusterWhenHere(client, name, { requesters, anyRequester, signal }),
  )
}

function tell({ cluster, approved, passedOver, isNew, hasCertificate }: Acceptance): void {
  process.stdout.write(isNew ? `${cluster} is let in\n` : `${cluster} was let in already\n`)
  for (const request of approved) process.stdout.write(`${cluster}: request ${request} is approved\n`)
  for (const { request, requester } of passedOver) {
    process.stderr.write(
      `${cluster}: ${plainText(`request ${request} of ${requester} is not approved: --requesters ${requester} would do so`)}\n`,
    )
  }
  if (!hasCertificate && passedOver.length === 0) {
    process.stderr.write(`${cluster}: its agent has not asked for a certificate yet: accept it again when it has\n`)
  }
}
