import { readFile } from 'node:fs/promises'
import { WEBHOOK_PORT, WEBHOOK_SERVICE } from '@orrery/api'
import type { HubFeatures } from '@orrery/hub'
import type { KubeClient, Logger, MetricRegistry } from '@orrery/kube'
import type { HubWebhooks, WebhookState, WebhookTarget } from '@orrery/webhook'
import { type Command, InvalidArgumentError } from 'commander'
import { portNumber } from './arguments.js'
import { explainListen } from './start-failure.js'

/** How the API server of a given Kubernetes asks for the rules of the hub. */
export interface WebhookOptions {
  readonly webhooks: boolean
  readonly webhookUrl?: string
  readonly webhookPort?: number
  readonly webhookCertDir?: string
  readonly webhookClientCa?: string
}

/** Their names. */
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
      'where the API server of a given Kubernetes reaches this hub: https://host:9443',
      httpsOrigin,
    )
    .option(
      '--webhook-port <number>',
      `port to answer it on (default: that of the URL, else ${WEBHOOK_PORT})`,
      portNumber,
    )
    .option('--webhook-cert-dir <dir>', 'tls.crt, tls.key and ca.crt to answer it with (default: made by the hub)')
    .option('--webhook-client-ca <file>', 'authority in PEM: answer only callers with a certificate of it')
    .option('--no-webhooks', 'on a given Kubernetes: check nothing of what is written')
}

function httpsOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' || (url.pathname !== '/' && url.pathname !== '') || url.search + url.hash !== '') {
    throw new InvalidArgumentError('It begins with https:// and has no path.')
  }
  if (url.username + url.password !== '') throw new InvalidArgumentError('It has no user.')
  return url.origin
}

/** Where the API server is told to ask, as far as somebody has said so. */
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

/** Serves the rules of the hub, and tells people whether the API server asks for them. */
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
      onState: (state) => tellPeople(state, placeOf(target)),
    })
  } catch (error) {
    throw explainListen(error, { port, portOption: '--webhook-port', hostOption: '--webhook-port' })
  }
}

function tellPeople(state: WebhookState, place: string): void {
  if (state.phase === 'asked') process.stdout.write(`The API server asks the webhooks at ${place}\n`)
  if (state.phase !== 'unreachable') return
  const { problem, isDemanded } = state
  const effect = isDemanded
    ? 'Until it does, it refuses to write clusters and works'
    : 'Until it does, nothing checks what is written to the hub'
  process.stdout.write(
    `The API server does not reach the webhooks at ${place}: ${problem}\n` +
      `${effect}. Check --webhook-url and what is between the two, or go without with --no-webhooks.\n`,
  )
}

/** What is not checked without webhooks. */
export const UNCHECKED =
  'without webhooks anybody who may write a ManagedCluster can accept it and move it between sets, nobody checks bindings, ' +
  'manifests and executors, and add-ons are not converted between v1alpha1 and v1beta1'

/** Tells what is not checked. Without webhooks on purpose, has the API server ask nobody whom an earlier hub has named. */
export async function goWithoutWebhooks({ webhooks }: WebhookOptions, client: KubeClient, log: Logger): Promise<void> {
  log.warn(UNCHECKED)
  if (webhooks) {
    process.stdout.write(
      'This hub answers no webhooks; unless another one does, nothing checks what is written. Say with --webhook-url where ' +
        'the API server reaches this process, or with --no-webhooks that it need not.\n',
    )
    return
  }
  const { removeWebhooks } = await import('@orrery/webhook')
  const removed = await removeWebhooks(client)
  if (removed.length > 0) log.warn('the API server no longer asks the webhooks of an earlier hub', { removed })
}
