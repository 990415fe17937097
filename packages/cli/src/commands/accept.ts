import { type Acceptance, type AcceptOptions, acceptClusters, acceptClusterWhenHere } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { note, print } from '../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { nameList } from './option-parsers.js'
import { addWaitOptions, resolveWait, type Wait, type WaitOptions, withTimeout } from './wait.js'

interface AcceptCommandOptions extends TargetOptions, WaitOptions {
  readonly clusters: readonly string[]
  readonly requesters?: readonly string[]
  readonly skipApproveCheck?: boolean
}

/** `orrery accept`. */
export function acceptCommand(): Command {
  const command = new Command('accept')
    .description('Accept clusters and approve the certificate requests of their agents.')
    .requiredOption('--clusters <names>', 'clusters to accept: a,b', nameList)
    .option('--requesters <users>', 'also approve certificate requests of these users: u,v', nameList)
    .option('--skip-approve-check', 'approve certificate requests of all users, not only of bootstrap users')
    .addHelpText(
      'after',
      `
If several agents request a certificate for one cluster, none is approved: find out first which agent is the right one.
Without --wait, all clusters are checked first. If one cannot be accepted, none is.

Examples:
  orrery accept --clusters edge1,edge2           accept clusters that \`orrery get clusters\` lists
  orrery accept --clusters edge3 --wait          wait for a cluster that is about to join
  orrery accept --clusters edge4 --requesters system:serviceaccount:ci:joiner`,
    )
    .action(run)
  return addTargetOptions(addWaitOptions(command, 'wait for clusters that have not joined yet'))
}

async function run(given: AcceptCommandOptions, command: Command): Promise<void> {
  const options = resolveWait(given, command)
  await withHub(options, async (client) => {
    const { clusters, wait, requesters = [], skipApproveCheck: anyRequester = false } = options
    const rules = { requesters, anyRequester }
    if (wait === undefined) return acceptClusters(client, clusters, { ...rules, onAccepted: printAcceptance })
    const results = await Promise.allSettled(
      clusters.map(async (name) => printAcceptance(await acceptWhenHere(client, name, rules, wait))),
    )
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw new Error(failures.map(({ message }) => message).join('\n'))
  })
}

function acceptWhenHere(client: KubeClient, name: string, rules: AcceptOptions, wait: Wait): Promise<Acceptance> {
  return withTimeout(
    wait,
    (limit) => `cluster ${name} did not request to join within ${limit}: check the log of its agent`,
    (signal) => acceptClusterWhenHere(client, name, { ...rules, signal }),
  )
}

function printAcceptance({ cluster, approved, passedOver, isNew, hasCertificate }: Acceptance): void {
  print(isNew ? `cluster ${cluster} accepted` : `cluster ${cluster} is already accepted`)
  for (const request of approved) print(`certificate request ${request} approved`)
  for (const { request, requester } of passedOver) {
    note(
      `${cluster}: certificate request ${request} of user ${requester} not approved: add --requesters ${requester} to approve it`,
    )
  }
  if (!hasCertificate && passedOver.length === 0) {
    note(
      `${cluster}: no certificate request of its agent found: run \`orrery accept\` again when the agent has started`,
    )
  }
}
