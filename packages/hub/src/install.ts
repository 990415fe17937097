import { HUB_NAMESPACE, HUB_POD_LABELS, OPERATOR_NAMESPACE, WEBHOOK_SERVICE } from '@orrery/api'
import { Namespace, Service, type WebhookClientConfig } from '@orrery/kinds'
import type { CallOptions, KubeClient } from '@orrery/kube'
import { bootstrapAccess } from './install/bootstrap-access.js'
import { ensureBootstrapToken } from './install/bootstrap-token.js'
import { installDefinitions } from './install/definitions.js'
import { hubAccess } from './install/hub-access.js'
import { ifMissing, type Piece } from './install/piece.js'

/** What to prepare besides what every hub needs. */
export interface InstallOptions extends CallOptions {
  /** Whether to make a bootstrap token that clusters can join with. Default false. */
  readonly bootstrapToken?: boolean
  /** Where an API server that cannot convert add-ons by itself has it done. Default: where it is done now. */
  readonly conversion?: WebhookClientConfig
  /** Whether to make the Service that a hub in the cluster has its webhooks behind. Default false. */
  readonly webhookService?: boolean
}

/** What there is to join with after the installation. */
export interface Installation {
  /** `id.secret`, when it was asked for. */
  readonly bootstrapToken: string | undefined
}

/**
 * Prepares an API server to be a hub: definitions, namespaces, the way in for clusters, and the rights of the hub itself.
 * Can be repeated at any time: what is there already is not written again.
 */
export async function installHub(client: KubeClient, options: InstallOptions = {}): Promise<Installation> {
  const { bootstrapToken = false, webhookService = false, conversion, signal } = options
  signal?.throwIfAborted()
  const call = signal === undefined ? {} : { signal }
  const [token] = await Promise.all([
    bootstrapToken ? ensureBootstrapToken(client, call) : undefined,
    installDefinitions(client, conversion, call),
    installInNamespaces(client, webhookService, call),
  ])
  return { bootstrapToken: token }
}

async function installInNamespaces(client: KubeClient, withService: boolean, options: CallOptions): Promise<void> {
  const install = (pieces: readonly Piece[]) => Promise.all(pieces.map((one) => one.install(client, options)))
  await install([OPERATOR_NAMESPACE, HUB_NAMESPACE].map((name) => ifMissing(Namespace, { metadata: { name } })))
  await install([...bootstrapAccess(), ...hubAccess(), ...(withService ? [webhookService()] : [])])
}

/** The pods behind it may be labelled otherwise by those who run them: it is left to them. */
function webhookService(): Piece {
  const { port, ...metadata } = WEBHOOK_SERVICE
  return ifMissing(Service, {
    metadata,
    spec: { selector: HUB_POD_LABELS, ports: [{ name: 'webhooks', port, targetPort: port }] },
  })
}
