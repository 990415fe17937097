import { convertedCrds, TRIAL_WEBHOOK } from '@orrery/api'
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, type Informers, type KubeClient, requeueAfter } from '@orrery/kube'
import type { ServingCertificate } from '@orrery/kube/serving'
import { conversionTarget, installTrial, installWebhooks, OWN_LABELS } from './configurations.js'
import type { WebhookTarget } from './target.js'
import { NOT_ASKING, tryWebhooks } from './trial.js'
import { whenever } from './wakes.js'

/** Whether the API server asks the webhooks. */
export type WebhookState =
  /** There is no certificate yet, or the API server has not heard of them yet, or another process looks after it. */
  | { readonly phase: 'waiting' }
  | { readonly phase: 'asked' }
  /** `isDemanded`: it was told to ask before, and refuses writes that they have no say on. */
  | { readonly phase: 'unreachable'; readonly problem: string; readonly isDemanded: boolean }

export interface ConfigurationOptions {
  readonly informers: Informers
  readonly certificate: ServingCertificate
  readonly target: WebhookTarget
  readonly onState: (state: WebhookState) => void
}

const REF = { name: TRIAL_WEBHOOK }
/** Nobody tells when a way is blocked. */
const NEXT_TRIAL = 60_000
const TRIAL_AFTER_FAILURE = 5_000
/** API servers hear of new configurations by a watch of their own. */
const TRIAL_AFTER_CHANGE = 250
const SLOW_TO_ASK = 30_000

/**
 * Has the API server ask the webhooks, as soon as it is seen to reach them: before that it would refuse every write.
 * Goes on looking, and says when it does not reach them any more.
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
        await Promise.all(definitions.map((one) => leadConversion(client, one, ca, target, signal)))
        onState({ phase: 'asked' })
        return requeueAfter(NEXT_TRIAL)
      }
      const isDemanded = mutating.size > 0 || validating.size > 1
      if (outcome.type === 'unreachable') {
        onState({ phase: 'unreachable', problem: outcome.problem, isDemanded })
        return requeueAfter(TRIAL_AFTER_FAILURE)
      }
      const { creationTimestamp } = validating.get(REF)?.metadata ?? {}
      const isSlow =
        creationTimestamp !== undefined && clock.now().getTime() - Date.parse(creationTimestamp) > SLOW_TO_ASK
      if (!isSlow) return requeueAfter(TRIAL_AFTER_CHANGE)
      onState({ phase: 'unreachable', problem: NOT_ASKING, isDemanded })
      return requeueAfter(TRIAL_AFTER_FAILURE)
    },
  }
}

interface Definition {
  readonly name: string
  readonly informer: Informer<CustomResourceDefinition>
}

/** Has the API server send objects here to convert them. The rest of the definition is left alone. */
async function leadConversion(
  client: KubeClient,
  { name, informer }: Definition,
  ca: string,
  target: WebhookTarget,
  signal: AbortSignal,
): Promise<void> {
  const current = informer.get({ name })?.spec.conversion?.webhook?.clientConfig
  const wanted = conversionTarget(ca, target)
  if (current === undefined || jsonEqual(current, wanted)) return
  // What leads elsewhere has to go: a definition has a URL or a Service.
  const clientConfig = { url: null, service: null, ...wanted }
  await client.patch(
    CustomResourceDefinition,
    { name },
    { spec: { conversion: { webhook: { clientConfig } } } },
    { signal },
  )
}
