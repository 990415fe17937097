/** Those that were asked for by name, or all. Names that nobody has are an error. */
export function namedOnly<T extends { readonly name: string }>(
  what: string,
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  if (names.length === 0) return all
  const unknown = names.filter((name) => !all.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(`there is no ${what} ${unknown.join(', ')}`)
  return all.filter(({ name }) => names.includes(name))
}
