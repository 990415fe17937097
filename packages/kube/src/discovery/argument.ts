/** One interpretation of a resource argument on a command line. */
export interface ResourceArgument {
  /** Lower case: a plural, a singular, a short name or a kind. */
  readonly name: string
  /** Empty for any group. May be the prefix of one. */
  readonly group: string
  readonly version?: string
}

/**
 * The interpretations of `pods`, `deployments.apps` and `deployments.v1.apps`, the most likely first. Whether the
 * second part is a version or the beginning of a group depends on the server: `widgets.example.com`.
 */
export function readResourceArgument(text: string): ResourceArgument[] {
  const [first = '', second, ...rest] = text.split('.')
  const name = first.toLowerCase()
  if (second === undefined) return [{ name, group: '' }]
  const byGroup = { name, group: [second, ...rest].join('.') }
  return rest.length === 0 ? [byGroup] : [{ name, version: second, group: rest.join('.') }, byGroup]
}
