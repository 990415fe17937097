import type { KubeObject } from '@orrery/kinds'
import { humanDuration } from '@orrery/kinds/values'
import type { Column } from '../kinds/resource.js'
import { AGE, column, wide } from './column.js'
import { conditionOf, fieldsOf, itemsOf, spec, status, text, textOr } from './fields.js'

/** RoleBinding and ClusterRoleBinding. */
export const ROLE_BINDING_COLUMNS: readonly Column[] = [
  column('Role', 'The role it grants.', (object) => {
    const { kind, name } = fieldsOf(object.roleRef)
    return `${text(kind)}/${text(name)}`
  }),
  AGE,
  wide(column('Users', 'Users it is granted to.', (object) => subjects(object, 'User'))),
  wide(column('Groups', 'Groups it is granted to.', (object) => subjects(object, 'Group'))),
  wide(column('ServiceAccounts', 'Service accounts it is granted to.', (object) => subjects(object, 'ServiceAccount'))),
]

export const SIGNING_REQUEST_COLUMNS: readonly Column[] = [
  AGE,
  column('SignerName', 'The signer of the request.', (object) => textOr(spec(object).signerName, '<none>')),
  column('Requestor', 'Who asked.', (object) => text(spec(object).username)),
  column('RequestedDuration', 'The requested validity of the certificate.', (object) => {
    const seconds = spec(object).expirationSeconds
    return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>'
  }),
  column('Condition', 'The state of the request.', signingProgress),
]

function subjects(binding: KubeObject, kind: string): string {
  return itemsOf(binding.subjects)
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${text(namespace)}/${text(name)}` : text(name)))
    .join(', ')
}

function signingProgress(request: KubeObject): string {
  const { conditions, certificate } = status(request)
  const decision = ['Denied', 'Approved'].find((type) => conditionOf(conditions, type) !== undefined) ?? 'Pending'
  const failed = conditionOf(conditions, 'Failed') === undefined ? '' : ',Failed'
  return `${decision}${failed}${text(certificate) === '' ? '' : ',Issued'}`
}
