import type { AdmissionPlugin } from '../admission/types.js'
import type { EscalationGuard } from '../authz/escalation.js'
import type { AnyBinding, AnyRole } from '../authz/rbacobjects.js'

const GROUP = 'rbac.authorization.k8s.io'

/** Refuses roles and bindings that grant permissions the user does not have (RBAC escalation check). */
export function rbacEscalation(guard: EscalationGuard): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    validate({ operation, resource, subresource, identity, namespace, name, object, oldObject }) {
      if (resource.group !== GROUP || subresource !== '' || object === undefined) return undefined
      const write = { identity, namespace, requestName: operation === 'CREATE' ? '' : name }
      switch (resource.plural) {
        case 'roles':
        case 'clusterroles':
          return guard.checkRole(resource.plural, {
            ...write,
            object: asRole(object),
            previous: oldObject && asRole(oldObject),
          })
        case 'rolebindings':
        case 'clusterrolebindings': {
          const previous = oldObject && asBinding(oldObject)
          return guard.checkBinding(resource.plural, { ...write, object: asBinding(object), previous })
        }
        default:
          return undefined
      }
    },
  }
}

function asRole(object: object): AnyRole {
  return object as AnyRole
}

function asBinding(object: object): AnyBinding {
  return object as AnyBinding
}
