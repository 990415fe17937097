/**
 * Replaces `$(NAME)` by the value of a variable and `$$` by `$`, as in the pod spec. References to unknown variables
 * stay.
 */
export function expand(text: string, lookUp: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$'
    return lookUp(name) ?? whole
  })
}
