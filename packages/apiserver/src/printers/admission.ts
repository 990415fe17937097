import type { Column } from '../kinds/resource.js'
import { AGE, column, count } from './column.js'
import { conditionOf, fieldsOf, sizeOf, spec, status, text } from './fields.js'

/** MutatingWebhookConfiguration and ValidatingWebhookConfiguration. */
export const WEBHOOK_COLUMNS: readonly Column[] = [
  count('Webhooks', 'Number of webhooks.', (object) => sizeOf(object.webhooks)),
  AGE,
]

export const API_SERVICE_COLUMNS: readonly Column[] = [
  column('Service', 'The Service of the API.', (object) => {
    const { service } = spec(object)
    if (service === undefined) return 'Local'
    return `${text(fieldsOf(service).namespace)}/${text(fieldsOf(service).name)}`
  }),
  column('Available', 'Whether the API is available.', (object) => {
    const available = conditionOf(status(object).conditions, 'Available')
    if (available === undefined) return 'Unknown'
    const reason = text(available.reason)
    return available.status === 'True' || reason === ''
      ? text(available.status)
      : `${text(available.status)} (${reason})`
  }),
  AGE,
]
