/** One way to read how somebody names a resource on a command line. */
export interface ResourceArgument {
  /** Lower-case: a plural, a singular, a short name or a kind. */
  readonly name: string
  /** Empty: any group. May be the beginning of one. */
  readonly group: string
  readonly version?: string
}

/**
 * The ways to read `pods`, `deployments.apps` and `deployments.v1.apps`, the likeliest first. Whether the second word is
 * a version or the beginning of a group can only be told by looking: `widgets.example.com`.
 */
export function readResourceArgument(text: string): ResourceArgument[] {
  const [first = '', second, ...rest] = text.split('.')
  const name = first.toLowerCase()
  if (second === undefined) return [{ name, group: '' }]
  const byGroup = { name, group: [second, ...rest].join('.') }
  return rest.length === 0 ? [byGroup] : [{ name, version: second, group: rest.join('.') }, byGroup]
}
