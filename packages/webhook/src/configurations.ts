import {
  HUB_NAMESPACE,
  ManagedCluster,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
} from '@orrery/api'
import { applyIfChanged, type CallOptions, type Draft, type KubeClient, type ResourceType } from '@orrery/kube'
import {
  MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@orrery/kube/kinds'
import { CONVERSION_PATH, type Phase, reviewPath } from './paths.js'

/** Where the API server finds the webhooks. */
export type WebhookTarget =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** `https://host:port`, for API servers outside of the cluster. */
  | { readonly url: string }

/** The port of the webhooks, unless told otherwise. */
export const WEBHOOK_PORT = 9443

/** The Service that a hub in a cluster has its webhooks behind. */
export const WEBHOOK_SERVICE = { namespace: HUB_NAMESPACE, name: 'orrery-webhook', port: WEBHOOK_PORT } as const

const FIELD_MANAGER = 'orrery-webhook'
const TIMEOUT_SECONDS = 10

const WEBHOOKS: readonly { phase: Phase; kind: ResourceType; versions: readonly string[] }[] = [
  { phase: 'mutate', kind: ManagedCluster, versions: ['*'] },
  { phase: 'validate', kind: ManagedCluster, versions: ['*'] },
  { phase: 'validate', kind: ManagedClusterSetBinding, versions: [ManagedClusterSetBinding.version] },
  { phase: 'validate', kind: ManifestWork, versions: ['*'] },
  { phase: 'validate', kind: ManifestWorkReplicaSet, versions: ['*'] },
]

export interface WebhookConfigurations {
  readonly mutating: readonly Draft<MutatingWebhookConfiguration>[]
  readonly validating: readonly Draft<ValidatingWebhookConfiguration>[]
}

/** The configurations that have an API server ask the webhooks. `ca` is what they are trusted by, in PEM. */
export function webhookConfigurations(ca: string, target: WebhookTarget): WebhookConfigurations {
  const drafts = (wanted: Phase) =>
    WEBHOOKS.filter(({ phase }) => phase === wanted).map(({ phase, kind, versions }) => {
      const name = `${kind.kind.toLowerCase()}${phase === 'mutate' ? 'mutators' : 'validators'}.admission.${kind.group}`
      const webhook: ValidatingWebhook = {
        name,
        clientConfig: clientConfig(ca, target, reviewPath(phase, kind)),
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: [kind.group],
            apiVersions: [...versions],
            resources: [kind.plural],
          },
        ],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: TIMEOUT_SECONDS,
        admissionReviewVersions: ['v1', 'v1beta1'],
      }
      return { metadata: { name }, webhooks: [webhook] }
    })
  return { mutating: drafts('mutate'), validating: drafts('validate') }
}

/** Where an API server has versions of add-ons converted, for `installHub`. */
export function conversionTarget(ca: string, target: WebhookTarget): WebhookClientConfig {
  return clientConfig(ca, target, CONVERSION_PATH)
}

/** Has an API server ask the webhooks. Nothing is written when it does already. */
export async function installWebhooks(
  client: KubeClient,
  ca: string,
  target: WebhookTarget,
  options: CallOptions = {},
): Promise<void> {
  const { mutating, validating } = webhookConfigurations(ca, target)
  const apply = { ...options, fieldManager: FIELD_MANAGER, force: true }
  await Promise.all([
    ...mutating.map(async (draft) => {
      const current = await client.find(MutatingWebhookConfiguration, { name: draft.metadata.name as string }, options)
      await applyIfChanged(client, MutatingWebhookConfiguration, draft, current, apply)
    }),
    ...validating.map(async (draft) => {
      const current = await client.find(
        ValidatingWebhookConfiguration,
        { name: draft.metadata.name as string },
        options,
      )
      await applyIfChanged(client, ValidatingWebhookConfiguration, draft, current, apply)
    }),
  ])
}

function clientConfig(ca: string, target: WebhookTarget, path: string): WebhookClientConfig {
  const caBundle = Buffer.from(ca).toString('base64')
  if ('url' in target) return { url: new URL(path, target.url).href, caBundle }
  const { namespace, name, port = WEBHOOK_PORT } = target.service
  return { service: { namespace, name, port, path }, caBundle }
}
