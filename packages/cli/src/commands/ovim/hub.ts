import { readFile } from 'node:fs/promises'
import { ConfigMap } from '@orrery/kinds'
import { isForbidden, type KubeClient, type Logger } from '@orrery/kube'
import { candidateIdentity, LeaderElection } from '@orrery/kube/election'
import type { OidcOptions, OvimHub } from '@orrery/ovim/hub'
import { Command, InvalidArgumentError } from 'commander'
import { hostNames, portNumber } from '../../arguments.js'
import { addLogOptions, type LogOptions, loggerOf } from '../../shared/logging.js'
import { printText } from '../../shared/print.js'
import { stopSignal } from '../../shared/stop-signal.js'
import { addInClusterOption, addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { explainListen } from '../../start-failure.js'

interface OvimHubCommandOptions extends TargetOptions, LogOptions {
  readonly bindAddress: string
  readonly port: number
  readonly tlsCertDir?: string
  readonly tlsSan?: readonly [string, ...string[]]
  readonly clientCaFile?: string
  readonly endpoint?: string
  readonly agentImage?: string
  readonly oidcIssuerUrl?: string
  readonly oidcClientId?: string
  readonly oidcUsernameClaim?: string
  readonly oidcUsernamePrefix?: string
  readonly oidcGroupsClaim?: string
  readonly oidcGroupsPrefix?: string
  readonly install: boolean
  readonly leaderElect: boolean
}

const DEFAULT_PORT = 8443
const ALL_ADDRESSES = '0.0.0.0'

/** `orrery ovim hub`. */
export function ovimHubCommand(): Command {
  const command = new Command('hub')
    .description('Run the OVIM service of a hub: it manages virtual machines across clusters.')
    .option('--bind-address <host>', 'address that the service listens on', ALL_ADDRESSES)
    .option('--port <number>', 'port that the service listens on', portNumber, DEFAULT_PORT)
    .option(
      '--tls-cert-dir <dir>',
      'directory with tls.crt, tls.key and ca.crt (default: self-signed, kept in a Secret)',
    )
    .option('--tls-san <name...>', 'host names and IP addresses of the self-signed certificate', hostNames)
    .option(
      '--client-ca-file <file>',
      "authority of client certificates in PEM (default: the one that the hub's API server publishes)",
    )
    .option(
      '--endpoint <url>',
      'URL at which agents reach the service: offers the add-on "ovim", which installs agents on clusters',
      httpsUrl,
    )
    .option('--agent-image <image>', 'image of the agents that the add-on installs')
    .option('--oidc-issuer-url <url>', 'OpenID Connect issuer whose tokens users may present', httpsUrl)
    .option('--oidc-client-id <id>', 'audience of the tokens of the issuer')
    .option('--oidc-username-claim <claim>', 'claim with the name of the user (default: sub)')
    .option('--oidc-username-prefix <text>', 'put before user names (default: the issuer and #)')
    .option('--oidc-groups-claim <claim>', 'claim with the groups of the user (default: groups)')
    .option('--oidc-groups-prefix <text>', 'put before groups (default: oidc:)')
    .option('--no-install', 'do not install CRDs and roles: an administrator has installed them')
    .option('--no-leader-elect', 'run the controllers without leader election')
    .addHelpText(
      'after',
      `
Examples:
  orrery ovim hub --kubeconfig ~/.kube/config --endpoint https://ovim.example.com:8443
  orrery addon enable ovim --clusters edge         install the agent on a cluster
  orrery ovim hub --in-cluster --no-install --endpoint https://ovim.example.com --tls-cert-dir /tls`,
    )
    .action(run)
  return addLogOptions(addInClusterOption(addTargetOptions(command)))
}

function httpsUrl(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text.replace(/\/$/, '')
  throw new InvalidArgumentError('Use https://host:port.')
}

async function run(options: OvimHubCommandOptions, command: Command): Promise<void> {
  const log = loggerOf(options)
  const oidc = oidcOf(options, command)
  if (options.agentImage !== undefined && options.endpoint === undefined) {
    command.error("error: option '--agent-image <image>' requires --endpoint <url>")
  }
  await withHub({ ...options, requester: 'orrery-hub' }, async (client) => {
    // Loaded on demand, so that other commands start faster.
    const { installOvim, startOvimHub } = await import('@orrery/ovim/hub')
    if (options.install) await installOvim(client)
    const clientAuthority = await clientAuthorityOf(options, client, log)
    const { bindAddress: host, port, tlsCertDir, tlsSan } = options
    const service = await startOvimHub({
      client,
      host,
      port,
      ...(tlsCertDir !== undefined && { certificateDirectory: tlsCertDir }),
      ...(tlsSan !== undefined && { serverNames: tlsSan }),
      ...(clientAuthority !== undefined && { clientAuthority }),
      ...(oidc !== undefined && { oidc: [oidc] }),
      ...leadershipOf(options, 'ovim-hub', client, log),
      log,
    }).catch((error: unknown) => {
      throw explainListen(error, { host, port, portOption: '--port', hostOption: '--bind-address' })
    })
    const addon = await offerAddon(options, service, client, log)
    try {
      printText(`${announcement(options, service)}\n`)
      await stopSignal()
      log.info('stopping')
    } finally {
      await addon?.close()
      await service.close()
    }
  })
}

async function offerAddon(options: OvimHubCommandOptions, service: OvimHub, client: KubeClient, log: Logger) {
  const { endpoint, agentImage: image } = options
  if (endpoint === undefined) return undefined
  const { startOvimAddon } = await import('@orrery/ovim/addon')
  return startOvimAddon({
    client,
    endpoint,
    certificateAuthority: () => service.certificateAuthority,
    ...(image !== undefined && { image }),
    ...leadershipOf(options, 'ovim-addon', client, log),
    log: log.child('addon'),
  })
}

/** The controllers of the service and of the add-on are led apart: each has a lease. */
function leadershipOf({ leaderElect }: OvimHubCommandOptions, name: string, client: KubeClient, log: Logger) {
  if (!leaderElect) return {}
  const lease = { namespace: 'ovim-system', name }
  return { leadership: new LeaderElection({ client, lease, ...candidateIdentity(), log: log.child('election') }) }
}

function oidcOf(options: OvimHubCommandOptions, command: Command): OidcOptions | undefined {
  const { oidcIssuerUrl: issuerUrl, oidcClientId: clientId } = options
  if (issuerUrl === undefined && clientId === undefined) return undefined
  if (issuerUrl === undefined || clientId === undefined) {
    command.error('error: --oidc-issuer-url and --oidc-client-id belong together: set both')
  }
  const { oidcUsernameClaim, oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix } = options
  return {
    issuerUrl,
    clientId,
    ...(oidcUsernameClaim !== undefined && { usernameClaim: oidcUsernameClaim }),
    ...(oidcUsernamePrefix !== undefined && { usernamePrefix: oidcUsernamePrefix }),
    ...(oidcGroupsClaim !== undefined && { groupsClaim: oidcGroupsClaim }),
    ...(oidcGroupsPrefix !== undefined && { groupsPrefix: oidcGroupsPrefix }),
  }
}

/** Kubernetes publishes it for servers like this one. */
async function clientAuthorityOf(
  { clientCaFile }: OvimHubCommandOptions,
  client: KubeClient,
  log: Logger,
): Promise<string | undefined> {
  if (clientCaFile !== undefined) return readFile(clientCaFile, 'utf8')
  try {
    const found = await client.find(ConfigMap, { namespace: 'kube-system', name: 'extension-apiserver-authentication' })
    return found?.data?.['client-ca-file']
  } catch (error) {
    if (!isForbidden(error)) throw error
    log.warn('the authority of client certificates cannot be read: set --client-ca-file, or agents need tokens')
    return undefined
  }
}

function announcement({ bindAddress, endpoint }: OvimHubCommandOptions, { port }: OvimHub): string {
  const offer =
    endpoint === undefined
      ? 'Agents need a token with permission for their zone: set --endpoint to install them with the add-on "ovim".'
      : 'Install an agent on a cluster with `orrery addon enable ovim --clusters NAME`.'
  return `The OVIM service is ready on ${bindAddress}:${port}.\n${offer}\nStop it with Ctrl-C.`
}
