import {
  type AddOnConfig,
  AddOnTemplate,
  DEPRECATED_ADDON_FINALIZERS,
  HOSTING_MANIFESTS_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  ManagedClusterAddOn,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { forbidden, getOwn, isObject } from '@orrery/kinds/values'
import { type AccessReview, requireAccess } from './access-review.js'
import { type AgentPart, agentPartOf, isRegisteredByAgent, isSame } from './addon-agents.js'
import { hostingReviews } from './hosting-review.js'
import type { ValidatingRule } from './rule.js'

const { group, plural: resource } = ManagedClusterAddOn

/**
 * Who may write what of an add-on of a cluster. The controllers of add-ons read objects that its configurations name, and write what is in
 * them to works that its agents read. So agents report conditions and how they register, and nothing else. A user who names a
 * configuration needs the permission to read it, and a user who names a hosting cluster the permission to create works for it.
 */
export const addonRule: ValidatingRule = {
  name: 'ManagedClusterAddOnValidating',
  kind: ManagedClusterAddOn,
  subresources: ['status'],
  validate({ object, oldObject, subresource, user }, queries) {
    const part = agentPartOf(user, oldObject ?? object)
    if (part !== undefined) {
      if (oldObject === undefined) throw agentRefusal(object, 'create it', part, user.username)
      const field = foreignField(object, oldObject, part)
      if (field !== undefined) throw agentRefusal(object, `change ${field}`, part, user.username)
    }
    const hosted = { group, resource, cluster: object.metadata.namespace ?? '' }
    const reviews =
      subresource === '' ? [...configReviews(object, oldObject), ...hostingReviews(object, oldObject, hosted)] : []
    return reviews.length === 0 ? undefined : requireAccess(reviews, user, queries)
  },
}

function agentRefusal({ metadata }: KubeObject, attempt: string, part: AgentPart, username: string) {
  const own = part === 'cluster' ? 'status.conditions and the drivers of status.registrations' : 'status.conditions'
  const why = `user ${JSON.stringify(username)} is an agent and cannot ${attempt}: it can change only ${own}`
  return forbidden({ group, resource }, metadata.name ?? '', why)
}

/** The first field that an agent has changed and that is not its own. */
function foreignField(addon: KubeObject, before: KubeObject, part: AgentPart): string | undefined {
  if (!isSame(membersOf(addon, 'spec'), membersOf(before, 'spec'))) return 'spec'
  const [after, known] = [membersOf(addon, 'status'), membersOf(before, 'status')]
  const status = [...new Set([...Object.keys(after), ...Object.keys(known)])].find((field) => {
    if (field === 'conditions') return false
    if (part === 'cluster' && field === 'kubeClientDriver') return false
    if (part === 'cluster' && field === 'registrations') return !isRegisteredByAgent(addon, before)
    return !isSame(getOwn(after, field), getOwn(known, field))
  })
  if (status !== undefined) return `status.${status}`
  const [metadata, old] = [metadataOf(addon), metadataOf(before)]
  const changed = Object.keys(metadata).find((field) => !isSame(getOwn(metadata, field), getOwn(old, field)))
  return changed === undefined ? undefined : `metadata.${changed}`
}

/** The finalizers of the controllers of add-ons. Agents of add-ons may have others, to clean up. */
const HUB_FINALIZERS: readonly string[] = [
  PRE_DELETE_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  HOSTING_MANIFESTS_FINALIZER,
  ...DEPRECATED_ADDON_FINALIZERS,
]

function metadataOf({ metadata }: KubeObject): JsonObject {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata
  return {
    labels,
    annotations,
    ownerReferences: ownerReferences.map((reference) => ({ ...reference })),
    finalizers: finalizers.filter((finalizer) => HUB_FINALIZERS.includes(finalizer)),
  }
}

function membersOf(object: KubeObject, field: string): JsonObject {
  const value = getOwn(object as unknown as JsonObject, field)
  return isObject(value) ? value : {}
}

/** The permissions for configurations that a write adds. Those in the namespace of the add-on are for its users. */
function configReviews(addon: KubeObject, before: KubeObject | undefined): AccessReview[] {
  const known = new Set(before === undefined ? [] : configsOf(before).map(keyOf))
  return configsOf(addon)
    .filter(
      (config) => !known.has(keyOf(config)) && (isTemplate(config) || config.namespace !== addon.metadata.namespace),
    )
    .map((config) => reviewOf(config, addon.metadata.name ?? ''))
}

function configsOf(addon: KubeObject): AddOnConfig[] {
  const configs = getOwn(membersOf(addon, 'spec'), 'configs')
  return Array.isArray(configs) ? (configs as unknown as AddOnConfig[]) : []
}

function keyOf({ group, resource, namespace = '', name }: AddOnConfig): string {
  return JSON.stringify([group, resource, namespace, name])
}

function isTemplate(config: AddOnConfig): boolean {
  return config.group === AddOnTemplate.group && config.resource === AddOnTemplate.plural
}

function reviewOf(config: AddOnConfig, addonName: string): AccessReview {
  const { name } = config
  // Templates have no namespace: whatever the reference has is ignored.
  const namespace = isTemplate(config) || config.namespace === '' ? undefined : config.namespace
  const where = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`
  const what = `${config.resource}${config.group === '' ? '' : `.${config.group}`} ${JSON.stringify(name)}${where}`
  return {
    attributes: {
      group: config.group,
      resource: config.resource,
      verb: 'get',
      name,
      ...(namespace !== undefined && { namespace }),
    },
    refusal: (username) =>
      forbidden(
        { group, resource },
        addonName,
        `user ${JSON.stringify(username)} cannot get ${what}: spec.configs can name only configurations that you can read`,
      ),
  }
}
