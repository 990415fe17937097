import { AddOnTemplate, HUB_NAMESPACE, type HubPermission, type TemplateRegistration } from '@orrery/api'
import { CertificateSigningRequest, ClusterRole, type ResourceAttributes, RoleBinding, Secret } from '@orrery/kinds'
import { badRequest, forbidden, jsonEqual } from '@orrery/kinds/values'
import { executorProblem } from '../addon/template/render.js'
import { type AccessReview, requireAccess } from './access-review.js'
import type { ValidatingRule } from './rule.js'

/**
 * Who may write an AddOnTemplate. Agents get the permissions that it names, and run the programs that it names with them. So its author
 * needs the permissions to grant them: to bind each role, and to use each signing CA. A template with an executor is refused.
 */
export const templateRule: ValidatingRule = {
  name: 'AddOnTemplateValidating',
  kind: AddOnTemplate,
  validate({ object, oldObject, user }, queries) {
    const template = object as unknown as AddOnTemplate
    const before = oldObject as AddOnTemplate | undefined
    // Who adds a label grants nothing.
    if (before !== undefined && jsonEqual(template.spec, before.spec)) return undefined
    const problem = executorProblem(template.spec)
    if (problem !== undefined) throw badRequest(problem)
    const needed = (template.spec.registration ?? []).flatMap(neededAccess)
    return requireAccess(
      needed.map((attributes) => reviewOf(attributes, template.metadata.name)),
      user,
      queries,
    )
  },
}

function neededAccess({ type, kubeClient, customSigner }: TemplateRegistration): ResourceAttributes[] {
  if (type === 'KubeClient') return (kubeClient?.hubPermissions ?? []).flatMap(bindingAccess)
  if (customSigner === undefined) return []
  const { signerName, signingCA } = customSigner
  const { namespace = HUB_NAMESPACE, name } = signingCA
  return [
    { group: CertificateSigningRequest.group, resource: 'signers', verb: 'sign', name: signerName },
    { group: Secret.group, resource: Secret.plural, verb: 'get', namespace, name },
  ]
}

/** The same that the API server requires of who creates the RoleBinding: in one namespace, or in those of all clusters. */
function bindingAccess({ type, currentCluster, singleNamespace }: HubPermission): ResourceAttributes[] {
  const { group, plural } = RoleBinding
  if (type === 'CurrentCluster') {
    return [
      { group, resource: plural, verb: 'create' },
      { group, resource: ClusterRole.plural, verb: 'bind', name: currentCluster?.clusterRoleName ?? '' },
    ]
  }
  const { namespace = '', roleRef } = singleNamespace ?? {}
  const resource = roleRef?.kind === 'Role' ? 'roles' : ClusterRole.plural
  return [
    { group, resource: plural, verb: 'create', namespace },
    { group, resource, verb: 'bind', namespace, name: roleRef?.name ?? '' },
  ]
}

function reviewOf(attributes: ResourceAttributes, name: string): AccessReview {
  const { verb, resource, name: target, namespace } = attributes
  const what = target === undefined ? resource : `${resource} ${JSON.stringify(target)}`
  const where = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`
  return {
    attributes,
    refusal: (username) =>
      forbidden(
        { group: AddOnTemplate.group, resource: AddOnTemplate.plural },
        name,
        `user ${JSON.stringify(username)} cannot ${verb} ${what}${where}: ` +
          'the agents of the template get this permission, and its author needs it too',
      ),
  }
}
