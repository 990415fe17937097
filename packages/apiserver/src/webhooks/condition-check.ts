import type { MutatingWebhook } from '@orrery/kinds/admissionregistration'
import { type FieldError, fieldInvalid, invalid } from '@orrery/kinds/values'
import type { AdmissionPlugin } from '../admission/types.js'
import { conditionProblem } from './match-conditions.js'

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
])

/** Refuses webhook configurations with invalid match conditions. Stored ones may stay. */
export const matchConditionCheck: AdmissionPlugin = {
  name: 'WebhookMatchConditions',
  validate({ resource, object, oldObject, name }) {
    if (!CONFIGURATIONS.has(resource.storage.bucket) || object === undefined) return
    const known = new Set(expressionsOf(oldObject?.webhooks).map(({ expression }) => expression))
    const errors: FieldError[] = []
    for (const { expression, path } of expressionsOf(object.webhooks)) {
      const problem = known.has(expression) ? undefined : conditionProblem(expression)
      if (problem !== undefined) errors.push(fieldInvalid(path, expression, problem))
    }
    if (errors.length > 0) throw invalid(resource, name, errors)
  },
}

function expressionsOf(webhooks: unknown): { expression: string; path: string }[] {
  return ((webhooks ?? []) as MutatingWebhook[]).flatMap(({ matchConditions = [] }, i) =>
    matchConditions.map(({ expression }, j) => ({
      expression,
      path: `webhooks[${i}].matchConditions[${j}].expression`,
    })),
  )
}
