import { HUB_NAMESPACE, OPERATOR_NAMESPACE } from '@orrery/api'
import type { CallOptions, KubeClient } from '@orrery/kube'
import { Namespace, type WebhookClientConfig } from '@orrery/kube/kinds'
import { bootstrapAccess } from './install/bootstrapaccess.js'
import { ensureBootstrapToken } from './install/bootstraptoken.js'
import { installDefinitions } from './install/definitions.js'
import { hubAccess } from './install/hubaccess.js'
import { mere, type Piece } from './install/piece.js'

export interface InstallOptions extends CallOptions {
  /** Whether to make a bootstrap token that clusters can join with. Default false. */
  readonly bootstrapToken?: boolean
  /** Where an API server that cannot convert add-ons by itself has it done. Default as in the definitions. */
  readonly conversion?: WebhookClientConfig
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
  const { bootstrapToken = false, conversion, signal } = options
  signal?.throwIfAborted()
  const call = signal === undefined ? {} : { signal }
  const [token] = await Promise.all([
    bootstrapToken ? ensureBootstrapToken(client, call) : undefined,
    installDefinitions(client, conversion, call),
    installInNamespaces(client, call),
  ])
  return { bootstrapToken: token }
}

async function installInNamespaces(client: KubeClient, options: CallOptions): Promise<void> {
  const install = (pieces: readonly Piece[]) => Promise.all(pieces.map((one) => one.install(client, options)))
  await install([OPERATOR_NAMESPACE, HUB_NAMESPACE].map((name) => mere(Namespace, { metadata: { name } })))
  await install([...bootstrapAccess(), ...hubAccess()])
}
