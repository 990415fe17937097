import { issueJoinToken } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { type Command, Option } from 'commander'
import { seconds } from './option-parsers.js'

export interface TokenOptions {
  readonly tokenType: 'bootstrap' | 'service-account'
  readonly tokenSeconds: number
}

const A_DAY = 86_400

/** `--token-type` and `--token-seconds`, for commands that print a join token. */
export function addTokenOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--token-type <type>',
        'bootstrap: valid until deleted; service-account: for API servers without bootstrap tokens',
      )
        .choices(['bootstrap', 'service-account'])
        .default('bootstrap'),
    )
    .addOption(new Option('--use-bootstrap-token', 'same as --token-type bootstrap').conflicts('tokenType'))
    .option('--token-seconds <number>', 'lifetime of a service-account token', seconds, A_DAY)
}

/** A join token. */
export async function joinToken(client: KubeClient, { tokenType, tokenSeconds }: TokenOptions): Promise<string> {
  if (tokenType === 'service-account') return issueJoinToken(client, tokenSeconds)
  const { findBootstrapToken } = await import('@orrery/hub')
  const token = await findBootstrapToken(client)
  if (token === undefined) throw new Error('no bootstrap token found: run `orrery init` to create one')
  return token
}
