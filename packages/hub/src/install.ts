import { HUB_NAMESPACE, HUB_POD_LABELS, OPERATOR_NAMESPACE, WEBHOOK_SERVICE } from '@orrery/api'
import { Namespace, Service, type WebhookClientConfig } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { bootstrapAccess } from './install/bootstrap-access.js'
import { ensureBootstrapToken } from './install/bootstrap-token.js'
import { installDefinitions } from './install/definitions.js'
import { hubAccess } from './install/hub-access.js'
import { created, type InstallStep } from './install/install-step.js'

/** Options of an installation. */
export interface InstallOptions extends CallOptions {
  /** Whether to create a bootstrap token. Default false. */
  readonly bootstrapToken?: boolean
  /** The conversion webhook for add-ons, which an embedded API server does not need. Default: the current one. */
  readonly conversion?: WebhookClientConfig
  /** Whether to create the Service for the webhooks of a hub that runs in the cluster. Default false. */
  readonly webhookService?: boolean
}

/** The result of an installation. */
export interface Installation {
  /** `id.secret`, if it was requested. */
  readonly bootstrapToken: string | undefined
}

/**
 * Installs a hub on an API server: CRDs, namespaces, the access of clusters that join, and the permissions of the hub itself.
 * It can be repeated at any time: objects that are up to date are not written again.
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
  const install = (steps: readonly InstallStep[]) => Promise.all(steps.map((step) => step(client, options)))
  await install([OPERATOR_NAMESPACE, HUB_NAMESPACE].map((name) => created(Namespace, { metadata: { name } })))
  await install([...bootstrapAccess(), ...hubAccess(), ...(withService ? [webhookService()] : [])])
}

/** Created only if it is missing: users may change its selector to the labels of their pods. */
function webhookService(): InstallStep {
  const { port, ...metadata } = WEBHOOK_SERVICE
  return created(Service, {
    metadata,
    spec: { selector: HUB_POD_LABELS, ports: [{ name: 'webhooks', port, targetPort: port }] },
  })
}
