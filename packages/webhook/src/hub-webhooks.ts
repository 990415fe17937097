import type { AdmissionOptions } from '@orrery/hub'
import {
  type ControllerSpec,
  Informers,
  type KubeClient,
  type Logger,
  type MetricRegistry,
  silentLogger,
} from '@orrery/kube'
import { certificateInDirectory, type ServingCertificate } from '@orrery/kube/serving'
import { webhookCertificate } from './certificate-controller.js'
import { certificateInSecret, certificateSecrets } from './certificate-secret.js'
import { type WebhookState, webhookConfiguration } from './configuration-controller.js'
import { startWebhookServer } from './server.js'
import { namesOf, placeOf, type WebhookTarget } from './target.js'

export interface HubWebhooksOptions extends AdmissionOptions {
  /** A client of the hub, with the rights of its account `orrery-hub`. */
  readonly client: KubeClient
  /** Where the API server finds the webhooks. */
  readonly target: WebhookTarget
  /** Where `tls.crt`, `tls.key` and `ca.crt` are. Default: made by the hub, and kept in a Secret that replicas share. */
  readonly certificateDirectory?: string
  /** Default all addresses. */
  readonly host?: string
  /** Default 9443; 0 picks a free one. */
  readonly port?: number
  /** In PEM: only callers with a certificate of this authority are answered. Default everybody is. */
  readonly clientAuthority?: string
  /** Hears when the state is another. */
  readonly onState?: (state: WebhookState) => void
  /** Default none. */
  readonly log?: Logger
  readonly metrics?: MetricRegistry
}

/** The webhooks of one replica of a hub on a real Kubernetes. */
export interface HubWebhooks {
  readonly port: number
  /** The controllers of the leading replica, for `startHub`. */
  readonly controllers: readonly ControllerSpec[]
  /** As far as this replica knows: only the one that leads looks. */
  readonly state: WebhookState
  /** Whether there is a certificate to answer with, and it is good. */
  readonly isServing: boolean
  /** Answers what it was asked, and ends. What the API server was told stays. Close the hub first. */
  close(): Promise<void>
}

/** Serves the rules of a hub, in every replica, and has the API server ask for them. Resolves when it listens. */
export async function startHubWebhooks(options: HubWebhooksOptions): Promise<HubWebhooks> {
  const { client, target, certificateDirectory, clock, log = silentLogger } = options
  const informers = new Informers(client, { log, ...(clock !== undefined && { clock }) })
  const secrets = certificateDirectory === undefined ? certificateSecrets(informers) : undefined
  let state: WebhookState = { phase: 'waiting' }
  const onState = (next: WebhookState) => {
    const isNews = gistOf(next) !== gistOf(state)
    state = next
    if (!isNews) return
    tell(log, next, target)
    options.onState?.(next)
  }
  let certificate: ServingCertificate | undefined
  try {
    certificate =
      secrets === undefined
        ? await certificateWithAuthority(certificateDirectory as string, log)
        : certificateInSecret(secrets, log)
    const server = await startWebhookServer({ ...options, certificate })
    const kept = certificate
    return {
      port: server.port,
      controllers: [
        ...(secrets === undefined ? [] : [webhookCertificate(secrets, namesOf(target))]),
        webhookConfiguration({ informers, certificate, target, onState }),
      ],
      get state() {
        return state
      },
      get isServing() {
        return server.isServing
      },
      async close() {
        await server.close()
        kept.close()
        await informers.close()
      },
    }
  } catch (error) {
    certificate?.close()
    await informers.close()
    throw error
  }
}

async function certificateWithAuthority(directory: string, log: Logger): Promise<ServingCertificate> {
  const certificate = await certificateInDirectory(directory, log)
  if (certificate.current?.ca !== undefined) return certificate
  certificate.close()
  throw new Error(`${directory} has no ca.crt: the API server has to know what to trust the webhooks by`)
}

/** What makes a state another: ports and times in what an API server says differ each time. */
function gistOf(state: WebhookState): string {
  if (state.phase !== 'unreachable') return state.phase
  return `${state.isDemanded} ${state.problem.replace(/\d+/g, '')}`
}

function tell(log: Logger, state: WebhookState, target: WebhookTarget): void {
  const place = placeOf(target)
  if (state.phase === 'asked') log.info('the API server asks the webhooks', { place })
  if (state.phase !== 'unreachable') return
  const { problem, isDemanded } = state
  if (isDemanded) log.error('the API server cannot reach the webhooks, and refuses writes', { place, problem })
  else log.error('the API server cannot reach the webhooks, and writes are not checked', { place, problem })
}
