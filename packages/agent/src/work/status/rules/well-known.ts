import { type ConditionRule, ManifestCondition } from '@orrery/api'

type CelRule = Pick<ConditionRule, 'celExpressions' | 'messageExpression'>

/** The default of the API server, until the kubelet reports. */
const phase = 'object.?status.?phase.orValue("Pending")'

const byKindAndCondition: ReadonlyMap<string, CelRule> = new Map([
  [
    `batch/v1 Job ${ManifestCondition.Complete}`,
    {
      celExpressions: [
        'has(object.status) && hasConditions(object.status) && ' +
          'object.status.conditions.exists(c, c.type in ["Complete", "Failed"] && c.status == "True")',
      ],
      messageExpression: 'result ? "Job is finished" : "Job is not finished"',
    },
  ],
  [
    `v1 Pod ${ManifestCondition.Complete}`,
    {
      celExpressions: [`${phase} in ["Succeeded", "Failed"]`],
      messageExpression: `"Pod is in phase " + ${phase}`,
    },
  ],
])

/** The expressions of a rule: its own, or the well-known ones of the kind. Undefined if there are none. */
export function spelledOut(
  rule: ConditionRule,
  object: { apiVersion: string; kind: string },
): ConditionRule | undefined {
  if (rule.type === 'CEL') return rule
  const known = byKindAndCondition.get(`${object.apiVersion} ${object.kind} ${rule.condition}`)
  if (known === undefined) return undefined
  const { message, messageExpression } = rule
  return {
    condition: rule.condition,
    type: 'CEL',
    ...known,
    ...(message !== undefined && { message }),
    ...(messageExpression !== undefined && messageExpression !== '' && { messageExpression }),
  }
}
