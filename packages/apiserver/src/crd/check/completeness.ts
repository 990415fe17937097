import { itemsOf, type JsonSchema } from '@orrery/cel/schema'
import { childPath, type FieldError, fieldRequired, indexPath, keyPath } from '@orrery/kinds/values'

/** Every field and item in a logical junctor must also be specified outside of it. */
export function completenessErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  checkBranches(schema, schema, path, path, errors)
  return errors
}

/** `path` is the path of the structural schema, `from` that of the branch. */
function checkBranches(branch: JsonSchema, schema: JsonSchema, path: string, from: string, errors: FieldError[]): void {
  if (branch.not) checkBranch(branch.not, schema, path, childPath(from, 'not'), errors)
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, nested] of (branch[junctor] ?? []).entries()) {
      checkBranch(nested, schema, path, indexPath(childPath(from, junctor), index), errors)
    }
  }
}

function checkBranch(
  branch: JsonSchema,
  schema: JsonSchema | undefined,
  path: string,
  from: string,
  errors: FieldError[],
): void {
  if (!schema) {
    errors.push(fieldRequired(path, `because it is defined in ${from}`))
    return
  }
  checkBranches(branch, schema, path, from, errors)
  const items = itemsOf(branch)
  if (items) checkBranch(items, itemsOf(schema), childPath(path, 'items'), childPath(from, 'items'), errors)
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    const at = keyPath(childPath(path, 'properties'), name)
    checkBranch(property, known, at, keyPath(childPath(from, 'properties'), name), errors)
  }
}
