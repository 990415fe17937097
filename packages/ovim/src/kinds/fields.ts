import { type SchemaOptions, t } from '@orrery/api/schema'
import type { ValidationRule } from '@orrery/kinds'

/** The pattern of names of objects that are part of names on clusters. */
const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

export const OBJECT_NAME = '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$'

/** The name of an object. */
export function objectName(description: string) {
  return t.string({ description, minLength: 1, maxLength: 253, pattern: OBJECT_NAME })
}

/** A quantity above zero. Whole numbers and strings are accepted, as everywhere in Kubernetes. */
export function positiveQuantity(options: SchemaOptions & { readonly description: string }) {
  const positive: ValidationRule = {
    rule: "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
    message: 'must be a quantity greater than 0, such as "2" or "4Gi"',
  }
  return t.quantity({ ...options, rules: [positive, ...(options.rules ?? [])] })
}

/** A rule that requires the quantity of one field not to exceed that of another, when both are set. */
export function notAbove(smaller: string, larger: string): ValidationRule {
  return {
    rule:
      `!has(self.${smaller}) || !has(self.${larger}) || ` +
      `quantity(string(self.${smaller})).compareTo(quantity(string(self.${larger}))) <= 0`,
    message: `${smaller} must not be greater than ${larger}`,
    fieldPath: `.${smaller}`,
  }
}

/** Labels or annotations of a virtual machine. */
export function textMap(description: string) {
  return t.map(t.string({ maxLength: 32_768 }), { description, maxProperties: 64 })
}

/** A Placement that selects the cluster. */
export function placementRef(description: string) {
  return t.object(
    {
      name: objectName('Name is the name of the Placement.'),
      namespace: t.optional(
        t.string({
          description:
            'Namespace is the namespace of the Placement: the namespace of the organization or ovim-system. ' +
            'Defaults to the namespace of the organization.',
          minLength: 1,
          maxLength: 63,
          pattern: DNS_LABEL,
        }),
      ),
    },
    { description },
  )
}

/** A rule for the names of objects, checked at the root of a kind. */
export function shortName(max: number): ValidationRule {
  return {
    rule: `size(self.metadata.name) <= ${max} && self.metadata.name.matches('${DNS_LABEL}')`,
    message: `metadata.name must be a DNS label of at most ${max} characters`,
  }
}
