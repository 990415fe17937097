import { convertedCrds, HUB_WEBHOOKS, TRIAL_WEBHOOK, WEBHOOK_SECRET } from '@orrery/api'
import type { PolicyRule } from '@orrery/kinds'

const READ = ['get', 'list', 'watch']
const WEBHOOKS = 'admissionregistration.k8s.io'

const namesOf = (wanted: string) => HUB_WEBHOOKS.filter(({ phase }) => phase === wanted).map(({ name }) => name)

/**
 * The permissions to install the webhook configurations of a hub, and no others: a webhook for all objects could read
 * everything.
 */
export const WEBHOOK_RULES: readonly PolicyRule[] = [
  {
    apiGroups: [WEBHOOKS],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    verbs: READ,
  },
  {
    apiGroups: [WEBHOOKS],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: namesOf('mutate'),
    verbs: ['create', 'patch', 'delete'],
  },
  {
    apiGroups: [WEBHOOKS],
    resources: ['validatingwebhookconfigurations'],
    resourceNames: [...namesOf('validate'), TRIAL_WEBHOOK],
    verbs: ['create', 'patch', 'delete'],
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: convertedCrds(),
    verbs: [...READ, 'patch'],
  },
]

/** The permissions in the namespace of the hub: the certificate that replicas share. */
export const WEBHOOK_NAMESPACE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [WEBHOOK_SECRET.name], verbs: [...READ, 'update'] },
]
