import type { CelType } from '@orrery/cel'
import type { SchemaNode } from '@orrery/cel/schema'
import { type CompiledRule, compileRule, selfType } from './rule.js'

/** The compiled rules of a schema by node. Nodes without rules are omitted. */
export type CompiledRules = ReadonlyMap<SchemaNode, readonly CompiledRule[]>

/** Compiles all rules of a schema; returns undefined if there are none, or the schema has no CEL type. */
export function compileRules(node: SchemaNode, isResource = true): CompiledRules | undefined {
  if (!node.rulesBelow) return undefined
  const self = selfType(node.schema, isResource)
  if (!self) return undefined
  const compiled = new Map<SchemaNode, readonly CompiledRule[]>()
  compileBelow(node, self, compiled)
  return compiled
}

/** Values without a CEL type have no rules below them. */
function compileBelow(
  node: SchemaNode,
  self: CelType | undefined,
  compiled: Map<SchemaNode, readonly CompiledRule[]>,
): void {
  if (!self || !node.rulesBelow) return
  if (node.rules.length > 0) {
    compiled.set(
      node,
      node.rules.map((rule) => compileRule(rule, node.schema, self)),
    )
  }
  for (const [name, property] of node.properties) {
    compileBelow(property, typeOfProperty(self, name, property), compiled)
  }
  if (node.additional) compileBelow(node.additional, self.params[1], compiled)
  if (node.items) compileBelow(node.items, self.params[0], compiled)
}

/** A property whose name is not valid in CEL can still have rules of its own. */
function typeOfProperty(self: CelType, name: string, property: SchemaNode): CelType | undefined {
  if (!property.rulesBelow) return undefined
  for (const field of self.fields?.().values() ?? []) if (field.name === name) return field.type
  return selfType(property.schema, property.embedded)
}
