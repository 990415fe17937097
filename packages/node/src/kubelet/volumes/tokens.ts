import type { Kind, Pod, ServiceAccountTokenProjection, TokenRequest } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'

/** `serviceaccounts/token` takes and returns TokenRequests. */
const Tokens: Kind<TokenRequest> = {
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
}

const DEFAULT_SECONDS = 3_600
/** A token is renewed at this fraction of its lifetime, and after a day at the latest, as kubelets do. */
const USED_UP = 0.8
const MAX_USE = 24 * 3_600_000

interface Token {
  readonly text: string
  readonly renewAt: number
}

/** The service account tokens of one pod: bound to the pod and renewed before they expire. */
export class PodTokens {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #tokens = new Map<string, Token>()

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  /** When the first token must be renewed. */
  get renewAt(): Date | undefined {
    const times = Array.from(this.#tokens.values(), ({ renewAt }) => renewAt)
    return times.length === 0 ? undefined : new Date(Math.min(...times))
  }

  /** Returns a valid token. */
  async get(pod: Pod, { audience = '', expirationSeconds }: ServiceAccountTokenProjection): Promise<string> {
    const seconds = expirationSeconds ?? DEFAULT_SECONDS
    const key = JSON.stringify([audience, seconds])
    const now = this.#clock.now().getTime()
    const known = this.#tokens.get(key)
    if (known !== undefined && known.renewAt > now) return known.text
    const { namespace, name, uid } = pod.metadata
    const answer = await this.#client.create(
      Tokens,
      {
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { namespace, name: pod.spec.serviceAccountName ?? 'default' },
        spec: {
          ...(audience !== '' && { audiences: [audience] }),
          expirationSeconds: seconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      },
      { subresource: 'token' },
    )
    const { token: text = '', expirationTimestamp = '' } = answer.status ?? {}
    const life = Date.parse(expirationTimestamp) - now
    this.#tokens.set(key, { text, renewAt: now + Math.min(life * USED_UP, MAX_USE) })
    return text
  }
}
