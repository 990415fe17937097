import { issueJoinToken } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { type Command, Option } from 'commander'
import { seconds } from './words.js'

export interface TokenOptions {
  readonly tokenType: 'bootstrap' | 'service-account'
  readonly tokenSeconds: number
}

const A_DAY = 86_400

/** `--token-type` and `--token-seconds`, for commands that hand out tokens. */
export function addTokenOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--token-type <type>', 'bootstrap is good until deleted; service-account works on every Kubernetes')
        .choices(['bootstrap', 'service-account'])
        .default('bootstrap'),
    )
    .addOption(
      new Option('--use-bootstrap-token', 'the same as --token-type bootstrap, as clusteradm calls it').conflicts(
        'tokenType',
      ),
    )
    .option('--token-seconds <number>', 'how long a service-account token is good', seconds, A_DAY)
}

/** A token that clusters can join with. */
export async function joinToken(client: KubeClient, { tokenType, tokenSeconds }: TokenOptions): Promise<string> {
  if (tokenType === 'service-account') return issueJoinToken(client, tokenSeconds)
  const { findBootstrapToken } = await import('@orrery/hub')
  const token = await findBootstrapToken(client)
  if (token === undefined) throw new Error('there is no bootstrap token: make one with `orrery init`')
  return token
}
