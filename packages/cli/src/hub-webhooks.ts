import { readFile } from 'node:fs/promises'
import { WEBHOOK_PORT, WEBHOOK_SERVICE } from '@orrery/api'
import type { HubFeatures } from '@orrery/hub'
import type { KubeClient, Logger } from '@orrery/kube'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { HubWebhooks, WebhookState, WebhookTarget } from '@orrery/webhook'
import { type Command, InvalidArgumentError } from 'commander'
import { portNumber } from './arguments.js'
import { print, printText } from './shared/print.js'
import { explainListen } from './start-failure.js'

/** How the API server of an existing cluster calls the hub's admission webhooks. */
export interface WebhookOptions {
  readonly webhooks: boolean
  readonly webhookUrl?: string
  readonly webhookPort?: number
  readonly webhookCertDir?: string
  readonly webhookClientCa?: string
}

/** The attribute names of these options. */
export const WEBHOOK_OPTIONS: readonly (keyof WebhookOptions)[] = [
  'webhooks',
  'webhookUrl',
  'webhookPort',
  'webhookCertDir',
  'webhookClientCa',
]

export function addWebhookOptions(command: Command): Command {
  return command
    .option(
      '--webhook-url <url>',
      'URL at which the API server of an existing cluster calls the webhooks: https://host:9443',
      httpsOrigin,
    )
    .option(
      '--webhook-port <number>',
      `port that the webhooks listen on (default: the port of the URL, else ${WEBHOOK_PORT})`,
      portNumber,
    )
    .option(
      '--webhook-cert-dir <dir>',
      'directory with tls.crt, tls.key and ca.crt for the webhooks (default: issued by the hub)',
    )
    .option('--webhook-client-ca <file>', 'CA file in PEM: require client certificates signed by this CA')
    .option('--no-webhooks', 'on an existing cluster: run without webhooks and remove their configurations')
}

function httpsOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' || (url.pathname !== '/' && url.pathname !== '') || url.search + url.hash !== '') {
    throw new InvalidArgumentError('Use https://host:port without a path.')
  }
  if (url.username + url.password !== '') throw new InvalidArgumentError('Remove the user information.')
  return url.origin
}

/** The address that the API server calls, if an option sets one. */
export function webhookTarget({
  webhooks,
  webhookUrl: url,
  inCluster = false,
}: WebhookOptions & { readonly inCluster?: boolean }): WebhookTarget | undefined {
  if (!webhooks) return undefined
  if (url !== undefined) return { url }
  return inCluster ? { service: WEBHOOK_SERVICE } : undefined
}

export interface WebhookContext {
  readonly client: KubeClient
  readonly features: Partial<HubFeatures>
  readonly log: Logger
  readonly metrics: MetricRegistry
}

/** Serves the admission webhooks and prints whether the API server calls them. */
export async function serveWebhooks(
  options: WebhookOptions,
  target: WebhookTarget,
  context: WebhookContext,
): Promise<HubWebhooks> {
  const { startHubWebhooks, placeOf } = await import('@orrery/webhook')
  const { webhookCertDir: certificateDirectory, webhookClientCa } = options
  const port = options.webhookPort ?? (('url' in target && Number(new URL(target.url).port)) || WEBHOOK_PORT)
  const clientAuthority = webhookClientCa === undefined ? undefined : await readFile(webhookClientCa, 'utf8')
  try {
    return await startHubWebhooks({
      ...context,
      target,
      port,
      ...(certificateDirectory !== undefined && { certificateDirectory }),
      ...(clientAuthority !== undefined && { clientAuthority }),
      onState: (state) => printWebhookState(state, placeOf(target)),
    })
  } catch (error) {
    throw explainListen(error, { port, portOption: '--webhook-port', hostOption: '--webhook-port' })
  }
}

function printWebhookState(state: WebhookState, place: string): void {
  if (state.phase === 'called') print(`The API server calls the webhooks at ${place}`)
  if (state.phase !== 'unreachable') return
  const { problem, isEnforced } = state
  const effect = isEnforced
    ? 'Until it can, it rejects writes of clusters and works'
    : 'Until it can, writes to the hub are not validated'
  printText(
    `The API server cannot reach the webhooks at ${place}: ${problem}\n` +
      `${effect}. Check --webhook-url and the network between them, or run with --no-webhooks.\n`,
  )
}

/** The effect of running without webhooks. */
const UNCHECKED =
  'no webhooks: every user who can write a ManagedCluster can accept it and move it between cluster sets, bindings, ' +
  'manifests and executors are not validated, and add-ons are not converted between v1alpha1 and v1beta1'

/** Logs the effect of running without webhooks. With `--no-webhooks`, removes the configurations of an earlier hub. */
export async function runWithoutWebhooks({ webhooks }: WebhookOptions, client: KubeClient, log: Logger): Promise<void> {
  log.warn(UNCHECKED)
  if (webhooks) {
    print(
      'This hub serves no webhooks, so the API server validates no writes unless another replica serves them. Set ' +
        '--webhook-url to the address of this process, or set --no-webhooks.',
    )
    return
  }
  const { removeWebhooks } = await import('@orrery/webhook')
  const removed = await removeWebhooks(client)
  if (removed.length > 0) log.warn('removed the webhook configurations of an earlier hub', { removed })
}
