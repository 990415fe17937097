import type { KubeClientDriver } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'

/** Options of add-ons. */
export interface AddonOptions {
  /**
   * How the agents of add-ons authenticate to the hub: `csr` with a client certificate, `token` with a token of a service account.
   * Default `csr`.
   */
  readonly kubeClientDriver?: KubeClientDriver
  /** The requested lifetime of tokens, at least 600. Default 31,536,000, a year. */
  readonly tokenSeconds?: number
  /** The cluster that add-ons in hosted mode run on. Default: the managed cluster. */
  readonly hosting?: KubeClient
}

/** The options, checked and with every default filled in. */
export interface ResolvedAddonOptions extends Required<AddonOptions> {}

const YEAR_SECONDS = 31_536_000
/** Kubernetes issues no shorter ones. */
const MIN_TOKEN_SECONDS = 600

/** Fills in defaults. Throws an error that names the option if one is not valid. */
export function resolveAddonOptions(options: AddonOptions, spoke: KubeClient): ResolvedAddonOptions {
  const { kubeClientDriver = 'csr', tokenSeconds = YEAR_SECONDS, hosting = spoke } = options
  if (kubeClientDriver !== 'csr' && kubeClientDriver !== 'token') {
    throw new RangeError(
      `addons.kubeClientDriver ${JSON.stringify(kubeClientDriver)} is not supported: use csr or token`,
    )
  }
  if (!Number.isInteger(tokenSeconds) || tokenSeconds < MIN_TOKEN_SECONDS) {
    throw new RangeError(`addons.tokenSeconds must be an integer of at least ${MIN_TOKEN_SECONDS}`)
  }
  return { kubeClientDriver, tokenSeconds, hosting }
}
