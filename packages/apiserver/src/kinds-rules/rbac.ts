import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1123Subdomain,
  isPathSegmentName,
} from '@orrery/kinds/values'
import { changes, immutable } from './change.js'
import { named, reportFormat, type StructCheck, strictlyOneOf, struct } from './check.js'
import type { GroupRules, KindRules } from './kind.js'
import { compileSelector, labelSelector } from './labels.js'
import { childOf, listOf, structsOf, textOf, type Value } from './read.js'

const RBAC_GROUP = 'rbac.authorization.k8s.io'

function policyRule(namespaced: boolean): StructCheck {
  return (rule, at, errors) => {
    if (listOf(rule, 'verbs').length === 0) {
      errors.push(fieldRequired(`${at}.verbs`, 'verbs must contain at least one value'))
    }
    const urls = listOf(rule, 'nonResourceURLs')
    const onResources = ['apiGroups', 'resources', 'resourceNames'].some((name) => listOf(rule, name).length > 0)
    if (urls.length > 0) {
      const report = (detail: string) => errors.push(fieldInvalid(`${at}.nonResourceURLs`, urls, detail))
      if (namespaced) report('namespaced rules cannot apply to non-resource URLs')
      if (onResources) report('rules cannot apply to both regular resources and non-resource URLs')
      return
    }
    if (listOf(rule, 'apiGroups').length === 0) {
      errors.push(fieldRequired(`${at}.apiGroups`, 'resource rules must supply at least one api group'))
    }
    if (listOf(rule, 'resources').length === 0) {
      errors.push(fieldRequired(`${at}.resources`, 'resource rules must supply at least one resource'))
    }
  }
}

const aggregation: StructCheck = (role, _at, errors) => {
  const rule = childOf(role, 'aggregationRule')
  if (rule === undefined) return
  const at = 'aggregationRule.clusterRoleSelectors'
  const selectors = structsOf(rule, 'clusterRoleSelectors')
  if (selectors.length === 0) {
    errors.push(fieldRequired(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  }
  for (const [i, selector] of selectors.entries()) {
    const path = indexPath(at, i)
    labelSelector(selector, path, errors)
    if (compileSelector(selector) === undefined) errors.push(fieldInvalid(path, null, 'invalid label selector.'))
  }
}

function checkSubject(subject: JsonObject, namespaced: boolean, at: string, errors: FieldError[]): void {
  const name = textOf(subject, 'name')
  const group = textOf(subject, 'apiGroup')
  const kind = textOf(subject, 'kind')
  if (name === '') errors.push(fieldRequired(`${at}.name`))
  if (kind === 'ServiceAccount') {
    if (name !== '') reportFormat(isDNS1123Subdomain, name, `${at}.name`, errors)
    if (group !== '') errors.push(fieldNotSupported(`${at}.apiGroup`, group, ['']))
    if (!namespaced && textOf(subject, 'namespace') === '') errors.push(fieldRequired(`${at}.namespace`))
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== RBAC_GROUP) errors.push(fieldNotSupported(`${at}.apiGroup`, group, [RBAC_GROUP]))
  } else errors.push(fieldNotSupported(`${at}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
}

/** Role references are printed as kube-apiserver's internal type, whose fields have no JSON names. */
function shownRoleRef(value: Value): unknown {
  return { APIGroup: textOf(value, 'apiGroup'), Kind: textOf(value, 'kind'), Name: textOf(value, 'name') }
}

function bindingRules(namespaced: boolean): KindRules {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  return {
    namespaced,
    nameRule: 'pathSegment',
    valid: struct({
      'roleRef.apiGroup': strictlyOneOf(RBAC_GROUP),
      'roleRef.kind': strictlyOneOf(...kinds),
      'roleRef.name': named(isPathSegmentName),
      'subjects[]': (subject, at, errors) => checkSubject(subject as JsonObject, namespaced, at, errors),
    }),
    onUpdate: { '': changes({ roleRef: immutable('cannot change roleRef', shownRoleRef) }) },
  }
}

export const rbacGroup: GroupRules = {
  ClusterRole: {
    namespaced: false,
    nameRule: 'pathSegment',
    valid: struct({ 'rules[]': policyRule(false), '. aggregation': aggregation }),
  },
  ClusterRoleBinding: bindingRules(false),
  Role: { namespaced: true, nameRule: 'pathSegment', valid: struct({ 'rules[]': policyRule(true) }) },
  RoleBinding: bindingRules(true),
}
