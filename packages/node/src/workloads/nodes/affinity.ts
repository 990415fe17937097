import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@orrery/kinds'

/** Returns whether the node selector and the required node affinity of a pod match a node. */
export function wantsNode({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  if (!Object.entries(nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || selectsNode(required, node)
}

/** Returns whether any term of a selector matches the node. An empty term matches nothing. */
export function selectsNode({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return nodeSelectorTerms.some((term) => termMatches(term, node))
}

export function termMatches({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false
  const fields = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.every((requirement) => satisfies(requirement, node.metadata.labels ?? {})) &&
    matchFields.every((requirement) => satisfies(requirement, fields))
  )
}

function satisfies({ key, operator, values = [] }: NodeSelectorRequirement, of: Record<string, string>): boolean {
  const value = Object.hasOwn(of, key) ? of[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return compare(value, values[0], (a, b) => a > b)
    case 'Lt':
      return compare(value, values[0], (a, b) => a < b)
  }
}

const WHOLE = /^-?\d+$/

function compare(value: string | undefined, bound: string | undefined, holds: (a: bigint, b: bigint) => boolean) {
  if (value === undefined || bound === undefined || !WHOLE.test(value) || !WHOLE.test(bound)) return false
  return holds(BigInt(value), BigInt(bound))
}
