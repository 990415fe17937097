import type { AdmissionOptions, HubPart } from '@orrery/hub'
import { Informers, type KubeClient, type Logger } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import { certificateInDirectory, type ServingCertificate } from '@orrery/kube/serving'
import { webhookCertificate } from './certificate-controller.js'
import { certificateInSecret, certificateSecrets } from './certificate-secret.js'
import { type WebhookState, webhookConfiguration } from './configuration-controller.js'
import { startWebhookServer } from './server.js'
import { namesOf, placeOf, type WebhookTarget } from './target.js'

export interface HubWebhooksOptions extends AdmissionOptions {
  /** A client of the hub, with the permissions of the service account `orrery-hub`. */
  readonly client: KubeClient
  /** How the API server reaches the webhooks. */
  readonly target: WebhookTarget
  /** The directory with `tls.crt`, `tls.key` and `ca.crt`. Default: the hub issues a certificate, in a Secret that replicas share. */
  readonly certificateDirectory?: string
  /** Default all addresses. */
  readonly host?: string
  /** Default 9443; 0 picks a free one. */
  readonly port?: number
  /** In PEM: only clients with a certificate of this authority are answered. Default all clients. */
  readonly clientAuthority?: string
  /** Called when the state changes. */
  readonly onState?: (state: WebhookState) => void
  /** Default none. */
  readonly log?: Logger
  readonly metrics?: MetricRegistry
}

/** The webhooks of one replica of a hub on a real Kubernetes. */
export interface HubWebhooks {
  readonly port: number
  /** The controllers of the leading replica: a part of the hub, for `startHub`. */
  readonly controllers: HubPart
  /** As far as this replica knows: only the leader checks. */
  readonly state: WebhookState
  /** Whether there is a serving certificate that has not expired. */
  readonly isServing: boolean
  /** Finishes requests in flight, and closes. The webhook configurations stay. Close the hub first. */
  close(): Promise<void>
}

/** Serves the admission rules of a hub, in every replica, and installs the webhook configurations. Resolves when it listens. */
export async function startHubWebhooks(options: HubWebhooksOptions): Promise<HubWebhooks> {
  const { client, target, certificateDirectory, clock, log = silentLogger } = options
  // Every replica serves, but only the leader runs a hub: the Secret is watched without one.
  const informers = new Informers(client, { log, ...(clock !== undefined && { clock }) })
  const secrets = certificateDirectory === undefined ? certificateSecrets(informers) : undefined
  let state: WebhookState = { phase: 'waiting' }
  const onState = (next: WebhookState) => {
    const isChanged = summaryOf(next) !== summaryOf(state)
    state = next
    if (!isChanged) return
    logState(log, next, target)
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
      controllers: (hub) => [
        ...(secrets === undefined ? [] : [webhookCertificate(secrets, namesOf(target))]),
        webhookConfiguration({ informers: hub.informers, certificate: kept, target, onState }),
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
  throw new Error(`${directory} has no ca.crt: the API server needs it to verify the webhooks`)
}

/** A state without ports and times, which differ in each message of an API server. */
function summaryOf(state: WebhookState): string {
  if (state.phase !== 'unreachable') return state.phase
  return `${state.isEnforced} ${state.problem.replace(/\d+/g, '')}`
}

function logState(log: Logger, state: WebhookState, target: WebhookTarget): void {
  const place = placeOf(target)
  if (state.phase === 'called') log.info('the API server calls the webhooks', { place })
  if (state.phase !== 'unreachable') return
  const { problem, isEnforced } = state
  if (isEnforced) log.error('the API server cannot reach the webhooks: writes fail', { place, problem })
  else log.error('the API server cannot reach the webhooks: writes are not validated', { place, problem })
}
