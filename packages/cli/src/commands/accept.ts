import { type Acceptance, type AcceptOptions, acceptClusters, acceptClusterWhenHere } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { plainText } from '../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { addWaitOptions, settleWait, type Wait, type WaitOptions, withPatience } from './patience.js'
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
When several agents claim to be a cluster, nothing is approved: find out which one is right first. Without --wait, all
clusters are checked first: if one cannot be accepted, none is.

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
    const { clusters, wait, requesters = [], skipApproveCheck: anyRequester = false } = options
    const rules = { requesters, anyRequester }
    if (wait === undefined) return acceptClusters(client, clusters, { ...rules, onAccepted: tell })
    const results = await Promise.allSettled(
      clusters.map(async (name) => tell(await acceptWhenHere(client, name, rules, wait))),
    )
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw new Error(failures.map(({ message }) => message).join('\n'))
  })
}

function acceptWhenHere(client: KubeClient, name: string, rules: AcceptOptions, wait: Wait): Promise<Acceptance> {
  return withPatience(wait, `cluster ${name} has not come, or has not asked for a certificate`, (signal) =>
    acceptClusterWhenHere(client, name, { ...rules, signal }),
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
