import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../resource.js'
import { AGE, column, count } from './column.js'
import { conditionOf, fieldsOf, sizeOf, spec, status, text } from './fields.js'
import { selectorText } from './format.js'

/** MutatingWebhookConfiguration and ValidatingWebhookConfiguration. */
export const WEBHOOK_COLUMNS: readonly Column[] = [
  count('Webhooks', 'Number of webhooks.', (object) => sizeOf(object.webhooks)),
  AGE,
]

export const VALIDATING_POLICY_COLUMNS: readonly Column[] = [
  count('Validations', 'Number of rules.', (object) => sizeOf(spec(object).validations)),
  column('ParamKind', 'The kind its parameters are of.', paramKind),
  AGE,
]

export const MUTATING_POLICY_COLUMNS: readonly Column[] = [
  count('Mutations', 'Number of changes.', (object) => sizeOf(spec(object).mutations)),
  column('ParamKind', 'The kind its parameters are of.', paramKind),
  AGE,
]

export const POLICY_BINDING_COLUMNS: readonly Column[] = [
  column('PolicyName', 'The policy it puts into force.', (object) => text(spec(object).policyName)),
  column('ParamRef', 'The parameters it uses.', (object) => {
    const { name, namespace, selector } = fieldsOf(spec(object).paramRef)
    if (text(name) !== '') return `${text(namespace) || '*'}/${text(name)}`
    return selector === undefined ? '<unset>' : selectorText(selector)
  }),
  AGE,
]

export const API_SERVICE_COLUMNS: readonly Column[] = [
  column('Service', 'Where the API is served.', (object) => {
    const { service } = spec(object)
    if (service === undefined) return 'Local'
    return `${text(fieldsOf(service).namespace)}/${text(fieldsOf(service).name)}`
  }),
  column('Available', 'Whether it answers.', (object) => {
    const available = conditionOf(status(object).conditions, 'Available')
    if (available === undefined) return 'Unknown'
    const reason = text(available.reason)
    return available.status === 'True' || reason === ''
      ? text(available.status)
      : `${text(available.status)} (${reason})`
  }),
  AGE,
]

function paramKind(policy: KubeObject): string {
  const { paramKind } = spec(policy)
  if (paramKind === undefined) return '<unset>'
  return `${text(fieldsOf(paramKind).apiVersion)}/${text(fieldsOf(paramKind).kind)}`
}
