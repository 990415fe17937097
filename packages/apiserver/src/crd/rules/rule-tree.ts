import type { CelType } from '@orrery/cel'
import type { SchemaNode } from '@orrery/cel/schema'
import { type CompiledRule, compileRule, selfType } from './rule.js'

/** The rules of a schema by their place. Parts without rules are omitted. */
export interface RuleTree {
  readonly node: SchemaNode
  readonly self: CelType
  readonly rules: readonly CompiledRule[]
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly additional: RuleTree | undefined
  readonly items: RuleTree | undefined
}

/** Compiles all rules of a schema; returns undefined if there are none. */
export function compileRules(node: SchemaNode, isResource = true): RuleTree | undefined {
  return node.rulesBelow ? treeOf(node, selfType(node.schema, isResource)) : undefined
}

/** Values without a CEL type have no rules below them. */
function treeOf(node: SchemaNode, self: CelType | undefined): RuleTree | undefined {
  if (!self || !node.rulesBelow) return undefined
  const properties = new Map<string, RuleTree>()
  for (const [name, property] of node.properties) {
    const tree = treeOf(property, typeOfProperty(self, name, property))
    if (tree) properties.set(name, tree)
  }
  return {
    node,
    self,
    rules: node.rules.map((rule) => compileRule(rule, node.schema, self)),
    properties,
    additional: node.additional && treeOf(node.additional, self.params[1]),
    items: node.items && treeOf(node.items, self.params[0]),
  }
}

/** A property whose name is not valid in CEL can still have rules of its own. */
function typeOfProperty(self: CelType, name: string, property: SchemaNode): CelType | undefined {
  if (!property.rulesBelow) return undefined
  for (const field of self.fields?.().values() ?? []) if (field.name === name) return field.type
  return selfType(property.schema, property.embedded)
}
