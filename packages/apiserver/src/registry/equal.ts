/** Deep equality of JSON values; an absent member equals an undefined one. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (!jsonEqual(a[index], b[index])) return false
    return true
  }
  if (Array.isArray(b)) return false
  return membersEqual(a as Record<string, unknown>, b as Record<string, unknown>, NOTHING)
}

const NOTHING: ReadonlySet<string> = new Set()

/** Like `jsonEqual` for two objects, leaving out some of their members. */
export function membersEqual(
  a: Record<string, unknown>,
  b: Record<string, unknown>,
  except: ReadonlySet<string>,
): boolean {
  for (const key of Object.keys(a)) {
    if (!except.has(key) && !jsonEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false
  }
  for (const key of Object.keys(b)) {
    if (!except.has(key) && b[key] !== undefined && (!Object.hasOwn(a, key) || a[key] === undefined)) return false
  }
  return true
}
