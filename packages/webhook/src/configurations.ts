import { HUB_NAMESPACE, HUB_WEBHOOKS, type HubWebhook, TRIAL_WEBHOOK } from '@orrery/api'
import {
  type ApiObject,
  type Draft,
  type Kind,
  Lease,
  MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { ensure, type Informer, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { CONVERSION_PATH, reviewPath, TRIAL_PATH } from './paths.js'
import { clientConfigOf, type WebhookTarget } from './target.js'

const FIELD_MANAGER = 'orrery-webhook'
const TIMEOUT_SECONDS = 10

/** The labels of our configurations. Others of the same name belong to another installation. */
export const OWN_LABELS = { 'app.kubernetes.io/managed-by': 'orrery-webhook' } as const

/** The labels of objects that the trial webhook is called for. */
export const TRIAL_LABELS = { 'open-cluster-management.io/webhook-trial': 'true' } as const

export interface WebhookConfigurations {
  readonly mutating: readonly Draft<MutatingWebhookConfiguration>[]
  readonly validating: readonly Draft<ValidatingWebhookConfiguration>[]
}

/** The webhook configurations of a hub. `ca`: the authority of the serving certificate, in PEM. */
export function webhookConfigurations(ca: string, target: WebhookTarget): WebhookConfigurations {
  const drafts = (wanted: HubWebhook['phase']) =>
    HUB_WEBHOOKS.filter(({ phase }) => phase === wanted).map(({ name, phase, kind, versions, subresources }) =>
      configuration(name, clientConfigOf(target, reviewPath(phase, kind), ca), {
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: [kind.group],
            apiVersions: [...versions],
            resources: [kind.plural, ...subresources.map((subresource) => `${kind.plural}/${subresource}`)],
          },
        ],
      }),
    )
  return { mutating: drafts('mutate'), validating: drafts('validate') }
}

/** The configuration of the trial webhook, which shows whether the API server reaches the webhooks. */
function trialConfiguration(ca: string, target: WebhookTarget): Draft<ValidatingWebhookConfiguration> {
  return configuration(TRIAL_WEBHOOK, clientConfigOf(target, TRIAL_PATH, ca), {
    rules: [
      { operations: ['CREATE'], apiGroups: [Lease.group], apiVersions: [Lease.version], resources: [Lease.plural] },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': HUB_NAMESPACE } },
    objectSelector: { matchLabels: TRIAL_LABELS },
  })
}

/** The conversion webhook for add-ons, for `installHub`. */
export function conversionTarget(ca: string, target: WebhookTarget): WebhookClientConfig {
  return clientConfigOf(target, CONVERSION_PATH, ca)
}

export interface InstallWebhooksOptions extends CallOptions {
  /** Informers of the configurations. Default: they are read from the API server. */
  readonly known?: KnownConfigurations
}

/** The informers of the webhook configurations. */
export interface KnownConfigurations {
  readonly mutating: Pick<Informer<MutatingWebhookConfiguration>, 'get'>
  readonly validating: Pick<Informer<ValidatingWebhookConfiguration>, 'get'>
}

/** Ensures the webhook configurations. Writes nothing if they are up to date. */
export async function installWebhooks(
  client: KubeClient,
  ca: string,
  target: WebhookTarget,
  { known, ...call }: InstallWebhooksOptions = {},
): Promise<void> {
  const { mutating, validating } = webhookConfigurations(ca, target)
  await Promise.all([
    ...mutating.map((draft) => install(client, MutatingWebhookConfiguration, draft, known?.mutating, call)),
    ...validating.map((draft) => install(client, ValidatingWebhookConfiguration, draft, known?.validating, call)),
  ])
}

/** Ensures the configuration of the trial webhook. */
export function installTrial(
  client: KubeClient,
  ca: string,
  target: WebhookTarget,
  { known, ...call }: InstallWebhooksOptions = {},
): Promise<void> {
  return install(client, ValidatingWebhookConfiguration, trialConfiguration(ca, target), known?.validating, call)
}

/**
 * Ensures a configuration. One of the same name of another installation is replaced: a merged one would call the webhooks of
 * both.
 */
async function install<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T>,
  draft: Draft<T>,
  known: Pick<Informer<T>, 'get'> | undefined,
  call: CallOptions,
): Promise<void> {
  const ref = { name: draft.metadata.name as string }
  let current = known?.get(ref) ?? (await client.find(kind, ref, call))
  if (current !== undefined && !isOwn(current)) {
    await client.delete(kind, ref, { ...call, preconditions: { uid: current.metadata.uid } })
    current = undefined
  }
  await ensure(client, kind, draft, current, { ...call, fieldManager: FIELD_MANAGER })
}

/** Deletes the webhook configurations. Returns the names of those that existed. */
export async function removeWebhooks(client: KubeClient, options: CallOptions = {}): Promise<string[]> {
  const remove = async (kind: Kind<ApiObject, object>, name: string): Promise<string[]> => {
    const current = await client.find(kind, { name }, options)
    if (current === undefined || !isOwn(current)) return []
    try {
      await client.delete(kind, { name }, { ...options, preconditions: { uid: current.metadata.uid } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return [name]
  }
  const removed = await Promise.all([
    ...HUB_WEBHOOKS.map(({ phase, name }) =>
      phase === 'mutate' ? remove(MutatingWebhookConfiguration, name) : remove(ValidatingWebhookConfiguration, name),
    ),
    remove(ValidatingWebhookConfiguration, TRIAL_WEBHOOK),
  ])
  return removed.flat()
}

/** Whether a configuration is ours. */
export function isOwn({ metadata }: ApiObject): boolean {
  return Object.entries(OWN_LABELS).every(([key, value]) => metadata.labels?.[key] === value)
}

function configuration(
  name: string,
  clientConfig: WebhookClientConfig,
  selection: Pick<ValidatingWebhook, 'rules' | 'objectSelector' | 'namespaceSelector'>,
) {
  const webhook: ValidatingWebhook = {
    name,
    clientConfig,
    ...selection,
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    admissionReviewVersions: ['v1', 'v1beta1'],
  }
  return { metadata: { name, labels: { ...OWN_LABELS } }, webhooks: [webhook] }
}
