const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const needsEscape = /__|[./-]/g
const names: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])

/**
 * The name of a property in expressions: `namespace` is `__namespace__`, `a-b` is `a__dash__b`. Undefined if there is
 * none, so that expressions cannot access the property.
 */
export function escapeProperty(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(needsEscape, (part) => names.get(part) ?? part)
}
