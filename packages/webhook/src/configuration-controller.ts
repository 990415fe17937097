import { convertedCrds, TRIAL_WEBHOOK } from '@orrery/api'
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, type Informers, type KubeClient, requeueAfter } from '@orrery/kube'
import type { ServingCertificate } from '@orrery/kube/serving'
import { conversionTarget, installTrial, installWebhooks, OWN_LABELS } from './configurations.js'
import type { WebhookTarget } from './target.js'
import { NOT_CALLING, tryWebhooks } from './trial.js'
import { whenever } from './wakes.js'

/** Whether the API server calls the webhooks. */
export type WebhookState =
  /** There is no certificate yet, or the API server has not loaded the configuration yet, or another replica leads. */
  | { readonly phase: 'waiting' }
  | { readonly phase: 'called' }
  /** `isEnforced`: there are webhook configurations, so that writes fail. */
  | { readonly phase: 'unreachable'; readonly problem: string; readonly isEnforced: boolean }

export interface ConfigurationOptions {
  readonly informers: Informers
  readonly certificate: ServingCertificate
  readonly target: WebhookTarget
  readonly onState: (state: WebhookState) => void
}

const REF = { name: TRIAL_WEBHOOK }
/** How often to check the connection, since no event shows that it is broken. */
const NEXT_TRIAL = 60_000
const TRIAL_AFTER_FAILURE = 5_000
/** API servers watch configurations, and take a moment to load a new one. */
const TRIAL_AFTER_CHANGE = 250
const LOAD_TIMEOUT = 30_000

/**
 * Installs the webhook configurations once the API server reaches the webhooks: before that, every write would fail. Keeps
 * checking, and reports when the API server does not reach them any more.
 */
export function webhookConfiguration(options: ConfigurationOptions): ControllerSpec {
  const { informers, certificate, target, onState } = options
  const labelSelector = Object.entries(OWN_LABELS)
    .map((pair) => pair.join('='))
    .join(',')
  const validating = informers.of(ValidatingWebhookConfiguration, { labelSelector })
  const mutating = informers.of(MutatingWebhookConfiguration, { labelSelector })
  const definitions = convertedCrds().map((name) => {
    return { name, informer: informers.of(CustomResourceDefinition, { fieldSelector: `metadata.name=${name}` }) }
  })
  return {
    name: 'webhook-configuration',
    wakes: [
      always(validating, REF),
      always(mutating, REF),
      ...definitions.map(({ informer }) => always(informer, REF)),
      whenever((listener) => certificate.onChange(listener), validating, REF),
    ],
    async reconcile(_, { client, clock, signal }) {
      const { ca } = certificate.current ?? {}
      if (ca === undefined) return onState({ phase: 'waiting' })
      await installTrial(client, ca, target, { known: { mutating, validating }, signal })
      const outcome = await tryWebhooks(client, { signal })
      if (outcome.type === 'answered') {
        await installWebhooks(client, ca, target, { known: { mutating, validating }, signal })
        await Promise.all(definitions.map((one) => ensureConversion(client, one, ca, target, signal)))
        onState({ phase: 'called' })
        return requeueAfter(NEXT_TRIAL)
      }
      const isEnforced = mutating.size > 0 || validating.size > 1
      if (outcome.type === 'unreachable') {
        onState({ phase: 'unreachable', problem: outcome.problem, isEnforced })
        return requeueAfter(TRIAL_AFTER_FAILURE)
      }
      const { creationTimestamp } = validating.get(REF)?.metadata ?? {}
      const isSlow =
        creationTimestamp !== undefined && clock.now().getTime() - Date.parse(creationTimestamp) > LOAD_TIMEOUT
      if (!isSlow) return requeueAfter(TRIAL_AFTER_CHANGE)
      onState({ phase: 'unreachable', problem: NOT_CALLING, isEnforced })
      return requeueAfter(TRIAL_AFTER_FAILURE)
    },
  }
}

interface Definition {
  readonly name: string
  readonly informer: Informer<CustomResourceDefinition>
}

/** Sets the conversion webhook of a CRD. The rest of the CRD is not changed. */
async function ensureConversion(
  client: KubeClient,
  { name, informer }: Definition,
  ca: string,
  target: WebhookTarget,
  signal: AbortSignal,
): Promise<void> {
  const current = informer.get({ name })?.spec.conversion?.webhook?.clientConfig
  const wanted = conversionTarget(ca, target)
  if (current === undefined || jsonEqual(current, wanted)) return
  // A client config has either a URL or a Service: the other one is removed.
  const clientConfig = { url: null, service: null, ...wanted }
  await client.patch(
    CustomResourceDefinition,
    { name },
    { spec: { conversion: { webhook: { clientConfig } } } },
    { signal },
  )
}
