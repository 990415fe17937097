import type { JsonObject, KubeObject } from '@orrery/kinds'
import { addAll, collectFieldErrors, type FieldError } from '@orrery/kinds/values'
import { appsGroup } from './apps.js'
import { autoscalingGroup } from './autoscaling.js'
import { batchGroup } from './batch.js'
import { certificatesGroup } from './certificates.js'
import { coreGroup } from './core.js'
import { eventRules } from './events.js'
import { flowControlGroup } from './flowcontrol.js'
import type { GroupRules, KindRules } from './kind.js'
import { networkingGroup } from './networking.js'
import { checkObjectMeta, validateObjectMetaUpdate } from './object-meta.js'
import { rbacGroup } from './rbac.js'
import { resourceGroup } from './resource/group.js'
import { authenticationGroup, authorizationGroup } from './reviews.js'
import { coordinationGroup, discoveryGroup, nodeGroup, policyGroup, schedulingGroup } from './small-groups.js'
import { storageGroup } from './storage/group.js'
import { admissionRegistrationGroup, apiRegistrationGroup } from './webhooks.js'

const GROUPS: ReadonlyMap<string, GroupRules> = new Map<string, GroupRules>([
  ['', coreGroup],
  ['admissionregistration.k8s.io', admissionRegistrationGroup],
  // Custom resource validation covers the rest of a definition, including its name.
  [
    'apiextensions.k8s.io',
    { CustomResourceDefinition: { namespaced: false, nameRule: 'any', knownFinalizers: false } },
  ],
  ['apiregistration.k8s.io', apiRegistrationGroup],
  ['apps', appsGroup],
  ['authentication.k8s.io', authenticationGroup],
  ['authorization.k8s.io', authorizationGroup],
  ['autoscaling', autoscalingGroup],
  ['batch', batchGroup],
  ['certificates.k8s.io', certificatesGroup],
  ['coordination.k8s.io', coordinationGroup],
  ['discovery.k8s.io', discoveryGroup],
  ['events.k8s.io', { Event: eventRules }],
  ['flowcontrol.apiserver.k8s.io', flowControlGroup],
  ['networking.k8s.io', networkingGroup],
  ['node.k8s.io', nodeGroup],
  ['policy', policyGroup],
  ['rbac.authorization.k8s.io', rbacGroup],
  ['resource.k8s.io', resourceGroup],
  ['scheduling.k8s.io', schedulingGroup],
  ['storage.k8s.io', storageGroup],
])

function rulesOf(group: string, kind: string): KindRules | undefined {
  const rules = GROUPS.get(group)
  return rules !== undefined && Object.hasOwn(rules, kind) ? rules[kind] : undefined
}

/** Returns the errors of a new, defaulted object of a built-in kind. Kinds without rules have none. */
export function validateCreate(group: string, kind: string, object: KubeObject): FieldError[] {
  const rules = rulesOf(group, kind)
  if (rules === undefined) return []
  const { namespaced, nameRule, knownFinalizers = true } = rules
  const errors = collectFieldErrors((errors) => {
    if (!rules.withoutMetadata) {
      checkObjectMeta(object.metadata, { namespaced, nameRule, knownFinalizers }, errors)
    }
    const json = object as unknown as JsonObject
    rules.valid?.(json, '', errors)
    rules.onCreate?.(json, '', errors)
  })
  return distinct(errors)
}

/** Returns the errors of an update of a built-in object through a subresource ('' is the object itself). */
export function validateUpdate(
  group: string,
  kind: string,
  object: KubeObject,
  old: KubeObject,
  subresource: string,
): FieldError[] {
  const rules = rulesOf(group, kind)
  if (rules === undefined) return []
  const errors = collectFieldErrors((errors) => {
    addAll(errors, validateObjectMetaUpdate(object.metadata, old.metadata, rules.knownFinalizers ?? true))
    const json = object as unknown as JsonObject
    const changesSpec = subresource === '' || subresource === 'ephemeralcontainers' || subresource === 'resize'
    const checkChange = () => rules.onUpdate?.[subresource]?.(json, old as unknown as JsonObject, errors)
    if (rules.changesFirst) checkChange()
    if (changesSpec && rules.revalidated !== false) rules.valid?.(json, '', errors)
    if (!rules.changesFirst) checkChange()
  })
  return distinct(errors)
}

/** Removes duplicate errors, as upstream does. */
function distinct(errors: FieldError[]): FieldError[] {
  if (errors.length < 2) return errors
  const seen = new Set<string>()
  return errors.filter(({ field, body }) => {
    const key = `${field}\n${body}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
