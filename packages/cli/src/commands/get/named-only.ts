/** The items with these names, or all items without names. Fails for unknown names. */
export function namedOnly<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
  notFound: (...unknown: readonly string[]) => string,
): readonly T[] {
  if (names.length === 0) return all
  const unknown = names.filter((name) => !all.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(notFound(...unknown))
  return all.filter(({ name }) => names.includes(name))
}
